// SPDX-License-Identifier: BSD-2-Clause
/* What a probe gives: arguments, results, registers. */
#include <linux/bpf.h>

#include "lowering.h"

/* --- registers: offsets in the context of kprobes and uprobes, in the kernel's layout --- */

#ifdef __x86_64__
static const struct {
	const char *name;
	uint32_t at;
} registers[] = {
	{ "r15", 0 },
	{ "r14", 8 },
	{ "r13", 16 },
	{ "r12", 24 },
	{ "bp", 32 },
	{ "bx", 40 },
	{ "r11", 48 },
	{ "r10", 56 },
	{ "r9", 64 },
	{ "r8", 72 },
	{ "ax", 80 },
	{ "cx", 88 },
	{ "dx", 96 },
	{ "si", 104 },
	{ "di", 112 },
	{ "orig_ax", 120 },
	{ "ip", 128 },
	{ "cs", 136 },
	{ "flags", 144 },
	{ "sp", 152 },
	{ "ss", 160 },
};
static const uint32_t argument_registers[] = { 112, 104, 96, 88, 72, 64 };
#define RESULT_REGISTER 80
#define STACK_REGISTER	152
#define PLACE_REGISTER	"ip"
#define STACK_ARGUMENTS 8 /* bytes from the stack pointer to the first argument on the stack: the return address */

static int64_t register_offset(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(registers); i++)
		if (!strcmp(registers[i].name, name))
			return registers[i].at;
	return -1;
}
#else
static const uint32_t argument_registers[] = { 0, 8, 16, 24, 32, 40, 48, 56 };
#define RESULT_REGISTER 0
#define STACK_REGISTER	248
#define PLACE_REGISTER	"pc"
#define STACK_ARGUMENTS 0

static int64_t register_offset(const char *name)
{
	char *end;
	unsigned long n;

	if (!strcmp(name, "sp"))
		return 248;
	if (!strcmp(name, "pc"))
		return 256;
	if (!strcmp(name, "pstate"))
		return 264;
	n = strtoul(name + 1, &end, 10);
	return (name[0] == 'r' || name[0] == 'x') && name[1] && !*end && n <= 30 ? (int64_t)n * 8 : -1;
}
#endif

static struct ir_value context_word(struct lower *l, int64_t at)
{
	return ir_load(&l->b, 64, false, l->f->context, at);
}

struct ir_value lower_register(struct lower *l, const char *name)
{
	int64_t at = register_offset(name);

	l->probe->needs.registers = true;
	if (at < 0) {
		lower_error(l, l->b.at, "'%s' is not a register of this architecture", name);
		return ir_imm(0);
	}
	return context_word(l, at);
}

bool lower_is_instruction_pointer(const char *name)
{
	return !strcmp(name, PLACE_REGISTER);
}

struct ir_value lower_instruction_pointer(struct lower *l)
{
	return lower_register(l, PLACE_REGISTER);
}

static bool has_registers(const struct lang_probe *probe)
{
	return probe->kind == PROBE_UPROBE || probe->kind == PROBE_URETPROBE || probe->kind == PROBE_USDT ||
	       probe->needs.registers;
}

/* --- arguments --- */

static struct ir_value usdt_register(struct lower *l, int32_t at)
{
	return at < 0 ? ir_imm(0) : context_word(l, at);
}

static struct ir_value usdt_argument(struct lower *l, uint32_t n)
{
	const struct lang_usdt_argument *arg = l->checked->usdt ? &l->checked->usdt[n] : NULL;
	struct type type = { .kind = TYPE_INTEGER };
	struct low_memory memory;
	struct ir_value v;

	if (!arg || n >= l->checked->n_usdt)
		return ir_imm(0);
	type.size = arg->size;
	type.is_signed = arg->is_signed;
	if (arg->where == USDT_CONSTANT)
		return ir_imm(arg->value);
	v = usdt_register(l, arg->reg);
	if (arg->where == USDT_REGISTER)
		return lower_cut(l, v, &type);
	if (arg->index_reg >= 0) {
		struct ir_value index = usdt_register(l, arg->index_reg);

		if (arg->scale > 1)
			index = ir_binary(&l->b, IR_MUL, index, ir_imm(arg->scale));
		v = v.is_const ? index : ir_binary(&l->b, IR_ADD, v, index);
	}
	memory = lower_pointed(v, SPACE_USER);
	memory.at = arg->value;
	return lower_load_scalar(l, &memory, &type);
}

/*
 * A word of a trampoline's context whose type may be a pointer. A plain load would give a pointer that the verifier
 * follows, or be refused; read by a helper it is a number.
 */
static struct ir_value trampoline_word(struct lower *l, uint32_t n, bool is_result)
{
	struct low_mark mark = lower_mark(l);
	struct low_memory slot = lower_temp(l, 8), from = lower_pointed(l->f->context, SPACE_KERNEL);
	struct ir_value v;

	if (l->options->features.func_args) {
		lower_store(l, &slot, 64, ir_imm(0));
		if (is_result)
			lower_helper(l, BPF_FUNC_get_func_ret, 2, l->f->context, lower_address(l, &slot));
		else
			lower_helper(l, BPF_FUNC_get_func_arg, 3, l->f->context, ir_imm(n), lower_address(l, &slot));
	} else {
		from.at = 8 * (int64_t)n;
		lower_read(l, &slot, &from, ir_imm(8));
	}
	v = lower_load(l, &slot, 64, false);
	lower_release(l, mark);
	return v;
}

static struct ir_value argument(struct lower *l, uint32_t n)
{
	switch (l->probe->kind) {
	case PROBE_USDT:
		return usdt_argument(l, n);
	case PROBE_RAWTRACEPOINT:
		return context_word(l, 8 * (int64_t)n);
	case PROBE_FENTRY:
	case PROBE_FEXIT:
		l->probe->needs.trampoline = true;
		return trampoline_word(l, n, false);
	default:
		break;
	}
	if (has_registers(l->probe) || n >= 6) {
		l->probe->needs.registers = true;
		return n < ARRAY_SIZE(argument_registers) ? context_word(l, argument_registers[n]) : ir_imm(0);
	}
	l->probe->needs.arguments = true;
	return lower_library(l, LANG_FN_arg, 2, l->f->context, ir_imm(n));
}

struct ir_value lower_argument(struct lower *l, uint32_t n)
{
	struct ir_value v;

	if (n >= KNOWN_END - KNOWN_ARGUMENT)
		return argument(l, n);
	return lower_remembered(l, KNOWN_ARGUMENT + n, &v) ? v : lower_remember(l, KNOWN_ARGUMENT + n, argument(l, n));
}

/* The n-th word of the stack that an argument is in. */
struct ir_value lower_stack_argument(struct lower *l, uint32_t n)
{
	struct low_memory memory;

	l->probe->needs.registers = true;
	memory = lower_pointed(context_word(l, STACK_REGISTER),
			       l->probe->kind == PROBE_KPROBE ? SPACE_KERNEL : SPACE_USER);
	memory.at = STACK_ARGUMENTS + 8 * (int64_t)n;
	return lower_load_scalar(l, &memory, type_integer(8, false));
}

struct low_value lower_result(struct lower *l, const struct type *type)
{
	struct ir_value v;

	if (lower_remembered(l, KNOWN_RESULT, &v))
		return lower_scalar(lower_cut(l, v, type), type);
	if (l->probe->kind == PROBE_FEXIT) {
		l->probe->needs.trampoline = true;
		v = trampoline_word(l, l->checked->arguments.ret_at, true);
	} else if (has_registers(l->probe)) {
		v = context_word(l, RESULT_REGISTER);
	} else {
		l->probe->needs.arguments = true;
		v = lower_library(l, LANG_FN_ret, 1, l->f->context);
	}
	lower_remember(l, KNOWN_RESULT, v);
	return lower_scalar(lower_cut(l, v, type), type);
}

/* --- args.NAME --- */

static struct low_value record_field(struct lower *l, const struct lang_argument *arg, const struct type *type)
{
	struct low_memory memory = lower_pointed(l->f->context, SPACE_CONTEXT);
	struct low_value value = lower_at_memory(memory, type);
	struct ir_value loc;

	l->probe->needs.record = true;
	value.memory.at = arg->at;
	if (!arg->is_data_loc)
		return value;
	loc = ir_binary(&l->b, IR_AND, ir_load(&l->b, 32, false, l->f->context, arg->at), ir_imm(0xffff));
	value.v = ir_binary(&l->b, IR_ADD, l->f->context, loc);
	if (type->kind == TYPE_POINTER) /* to the first of the data */
		return lower_scalar(value.v, type);
	value.memory = lower_pointed(value.v, SPACE_KERNEL);
	value.limit = ir_imm(type->size);
	value.kind = type->kind == TYPE_STRING ? LOW_STRING : LOW_MEMORY;
	return value;
}

static struct low_value word_field(struct lower *l, const struct lang_argument *arg, const struct type *type)
{
	if (l->probe->kind == PROBE_RAWTRACEPOINT)
		return lower_scalar(lower_cut(l, context_word(l, 8 * (int64_t)arg->at), type), type);
	l->probe->needs.trampoline = true;
	if (type_is_integral(type))
		return lower_scalar(lower_cut(l, context_word(l, 8 * (int64_t)arg->at), type), type);
	if (type->kind == TYPE_POINTER)
		return lower_scalar(lower_argument(l, arg->at), type);
	return lower_at_memory(lower_behind(lower_pointed(l->f->context, SPACE_KERNEL), 8 * (int64_t)arg->at), type);
}

struct low_value lower_args_field(struct lower *l, struct ast *ast)
{
	const struct lang_arguments *args = &l->checked->arguments;

	for (size_t i = 0; i < args->n; i++) {
		if (strcmp(args->v[i].name, ast->field.name))
			continue;
		if (l->probe->kind == PROBE_TRACEPOINT)
			return record_field(l, &args->v[i], ast->type);
		return word_field(l, &args->v[i], ast->type);
	}
	lower_error(l, ast->at, "there is no argument '%s'", ast->field.name);
	return lower_scalar(ir_imm(0), ast->type);
}

/* All arguments as a record. */
struct low_value lower_all_arguments(struct lower *l, struct ast *ast)
{
	struct low_value record = { .kind = LOW_TUPLE, .type = ast->type };

	record.elements = pool_alloc(&l->program->pool, (ast->type->n_fields + 1) * sizeof(*record.elements));
	for (uint32_t i = 0; i < ast->type->n_fields; i++) {
		struct ast field = { .kind = AST_FIELD, .at = ast->at, .type = ast->type->fields[i].type };

		field.field.name = ast->type->fields[i].name;
		record.elements[i] = lower_args_field(l, &field);
	}
	return record;
}

/* --- what registers say --- */

/* From the registers where the probe hit: the privilege level in cs, the exception level in pstate. */
struct ir_value lower_user_mode(struct lower *l)
{
	struct ir_value level;

	l->probe->needs.registers = true;
#ifdef __x86_64__
	level = ir_binary(&l->b, IR_AND, context_word(l, 136), ir_imm(3));
	return ir_binary(&l->b, IR_SHR, level, ir_imm(1));
#else
	level = ir_binary(&l->b, IR_AND, context_word(l, 264), ir_imm(15));
	return ir_binary(&l->b, IR_SHR, ir_binary(&l->b, IR_SUB, level, ir_imm(1)), ir_imm(63));
#endif
}

/* The return address: of a function that is just entered it is on the stack, or in a register. */
struct ir_value lower_caller(struct lower *l)
{
#ifdef __x86_64__
	struct low_memory memory;

	l->probe->needs.registers = true;
	memory = lower_pointed(context_word(l, STACK_REGISTER),
			       l->probe->kind == PROBE_KPROBE ? SPACE_KERNEL : SPACE_USER);
	return lower_load_scalar(l, &memory, type_integer(8, false));
#else
	l->probe->needs.registers = true;
	return context_word(l, 240);
#endif
}

/* What a system call or function that failed returns, without its sign; 0: it did not fail. */
struct low_value lower_errno(struct lower *l, struct ast *ast)
{
	uint32_t dst = ir_new_reg(&l->b), failed = ir_new_block(&l->b), done = ir_new_block(&l->b);
	struct low_value ret;

	if (l->probe->kind == PROBE_TRACEPOINT) { /* of syscalls:sys_exit_*, raw_syscalls:sys_exit */
		l->probe->needs.record = true;
		ret = lower_scalar(context_word(l, 16), type_integer(8, true));
	} else {
		ret = lower_result(l, type_integer(8, true));
	}
	ir_move(&l->b, dst, ir_imm(0));
	ir_branch(&l->b, IR_SGE, ret.v, ir_imm(0), done, failed);
	lower_at(l, failed);
	ir_move(&l->b, dst, ir_unary(&l->b, IR_NEG, 64, ret.v));
	ir_jump(&l->b, done);
	lower_at(l, done);
	return lower_scalar(lower_cut(l, ir_reg(dst), ast->type), ast->type);
}
