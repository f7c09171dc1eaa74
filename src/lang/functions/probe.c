// SPDX-License-Identifier: BSD-2-Clause
/* What a probe gives: its context, arguments, results, registers, and its name. */
#include <linux/bpf.h>

#include "lang/check/checker.h"
#include "lang/lower/lowering.h"

#define CONTEXT_IN   ~(IN(BEGIN) | IN(END) | IN(INTERVAL) | IN(SIGNAL) | IN(TEST) | IN(BENCH))
#define ARGUMENTS_IN (IN(KPROBE) | IN(UPROBE) | IN(USDT) | IN(RAWTRACEPOINT) | IN(FENTRY) | IN(FEXIT))

static const struct type *check_context(struct checker *c, struct ast *ast)
{
	switch (c->probe->probe->kind) {
	case PROBE_ITER:
		return c->probe->arguments.context ? type_pointer(c->pool, c->probe->arguments.context, SPACE_CONTEXT)
						   : type_pointer(c->pool, type_void(), SPACE_CONTEXT);
	case PROBE_KPROBE:
	case PROBE_KRETPROBE:
	case PROBE_UPROBE:
	case PROBE_URETPROBE:
	case PROBE_USDT:
		return check_kernel_pointer(c, "pt_regs", SPACE_CONTEXT);
	default:
		return type_pointer(c->pool, type_void(), SPACE_CONTEXT);
	}
}

static struct low_value lower_ctx(struct lower *l, struct ast *ast)
{
	return lower_scalar(l->f->context, ast->type);
}

BUILTIN(ctx, check_context, lower_ctx, .probes = CONTEXT_IN);

/* `args` as a whole: a record. Where its members come from is in the arguments of the probe. */
static const struct type *check_args(struct checker *c, struct ast *ast)
{
	const struct lang_arguments *arguments = &c->probe->arguments;
	struct type_field *fields;

	if (!arguments->n) {
		check_error(c, ast->at, "%s has no arguments that are known by name", check_place_name(c));
		return type_none();
	}
	fields = pool_alloc(c->pool, arguments->n * sizeof(*fields));
	for (size_t i = 0; i < arguments->n; i++) {
		fields[i].name = arguments->v[i].name;
		fields[i].type = arguments->v[i].type;
		/* A text whose length is known when it is read. */
		if (fields[i].type->kind == TYPE_STRING && !fields[i].type->size)
			fields[i].type = type_string(c->pool, c->program->config.max_strlen);
	}
	return type_tuple(c->pool, fields, arguments->n, true);
}

static void hint_args(struct checker *c, const struct ast *ast)
{
	switch (c->probe->probe->kind) {
	case PROBE_KPROBE:
		check_hint(c, ast->at, "arg0, arg1 ... are its arguments; fentry knows them by name");
		break;
	case PROBE_UPROBE:
	case PROBE_USDT:
		check_hint(c, ast->at, "arg0, arg1 ... are its arguments");
		break;
	case PROBE_KRETPROBE:
	case PROBE_URETPROBE:
		check_hint(c, ast->at, "keep what you need in a map when the function begins: @a[tid] = arg0");
		break;
	default:
		break;
	}
}

BUILTIN(args, check_args, lower_all_arguments, .hint = hint_args,
	.probes = IN(FENTRY) | IN(FEXIT) | IN(TRACEPOINT) | IN(RAWTRACEPOINT));

/* The number behind arg or sarg. */
static uint32_t argument_number(const struct ast *ast)
{
	return strtoul(strchr(ast->name.name, 'g') + 1, NULL, 10);
}

static const struct type *check_arg_n(struct checker *c, struct ast *ast)
{
	uint32_t n = argument_number(ast);
	const struct checked_probe *probe = c->probe;

	switch (probe->probe->kind) {
	case PROBE_USDT:
		if (n >= probe->n_usdt)
			check_error(c, ast->at, "%s has %zu argument%s: there is no arg%u", check_place_name(c),
				    probe->n_usdt, str_plural(probe->n_usdt), n);
		return type_integer(8, true);
	case PROBE_RAWTRACEPOINT:
	case PROBE_FENTRY:
	case PROBE_FEXIT:
		if (probe->arguments.v && n >= probe->arguments.n)
			check_error(c, ast->at, "%s has %zu argument%s: there is no arg%u", check_place_name(c),
				    probe->arguments.n, str_plural(probe->arguments.n), n);
		return type_integer(8, true);
	default:
#ifdef __aarch64__
		if (n >= 8)
#else
		if (n >= 6)
#endif
			check_error(c, ast->at,
				    "arg%u is not in a register on this machine: read the stack at reg(\"sp\")", n);
		return type_integer(8, true);
	}
}

static struct low_value lower_arg_n(struct lower *l, struct ast *ast)
{
	return lower_scalar(lower_cut(l, lower_argument(l, argument_number(ast)), ast->type), ast->type);
}

static void hint_arg_n(struct checker *c, const struct ast *ast)
{
	enum lang_probe_kind kind = c->probe->probe->kind;

	if (kind == PROBE_KRETPROBE || kind == PROBE_URETPROBE)
		check_hint(c, ast->at, "keep what you need in a map when the function begins: @a[tid] = arg0");
	else if (kind == PROBE_TRACEPOINT)
		check_hint(c, ast->at, "args.NAME is an argument of a tracepoint; -lv lists them");
}

static const struct type *check_sarg_n(struct checker *c, struct ast *ast)
{
	return type_integer(8, true);
}

static struct low_value lower_sarg_n(struct lower *l, struct ast *ast)
{
	return lower_scalar(lower_stack_argument(l, argument_number(ast)), ast->type);
}

#define ARGUMENT_ONLY(N) \
	BUILTIN(arg##N, check_arg_n, lower_arg_n, .probes = ARGUMENTS_IN, .hint = hint_arg_n, .is_stable = true)
#define ARGUMENT(N) \
	ARGUMENT_ONLY(N); \
	BUILTIN(sarg##N, check_sarg_n, lower_sarg_n, .probes = IN(KPROBE) | IN(UPROBE))
ARGUMENT(0);
ARGUMENT(1);
ARGUMENT(2);
ARGUMENT(3);
ARGUMENT(4);
ARGUMENT(5);
ARGUMENT(6);
ARGUMENT(7);
ARGUMENT(8);
ARGUMENT(9);
ARGUMENT_ONLY(10); /* of USDT probes, which have up to 12 */
ARGUMENT_ONLY(11);

static const struct type *check_retval(struct checker *c, struct ast *ast)
{
	if (c->probe->probe->kind != PROBE_FEXIT)
		return type_integer(8, false);
	if (c->probe->arguments.ret && c->probe->arguments.ret->kind != TYPE_VOID)
		return c->probe->arguments.ret;
	check_error(c, ast->at, "%s returns nothing", check_place_name(c));
	return type_none();
}

static struct low_value lower_retval(struct lower *l, struct ast *ast)
{
	return lower_result(l, ast->type);
}

static void hint_retval(struct checker *c, const struct ast *ast)
{
	check_hint(c, ast->at, "a return probe has it: kretprobe, fexit or uretprobe");
}

BUILTIN(retval, check_retval, lower_retval, .probes = IN(KRETPROBE) | IN(URETPROBE) | IN(FEXIT), .hint = hint_retval);

static const struct type *check_errno(struct checker *c, struct ast *ast)
{
	return type_integer(4, true);
}

BUILTIN(errno, check_errno, lower_errno,
	.probes = IN(TRACEPOINT) | IN(KRETPROBE) | IN(FEXIT) | IN(URETPROBE));

/* Of code that runs in one mode only it is known; elsewhere registers say it. */
static const struct type *check_usermode(struct checker *c, struct ast *ast)
{
	uint32_t kind = 1U << c->probe->probe->kind;

	if (kind & (IN(BEGIN) | IN(END) | IN(INTERVAL) | IN(SIGNAL) | IN(TEST) | IN(BENCH) | IN(UPROBE) |
		    IN(URETPROBE) | IN(USDT)))
		check_set_integer(ast, 1, type_integer(1, false));
	else if (kind & (IN(FENTRY) | IN(FEXIT) | IN(TRACEPOINT) | IN(RAWTRACEPOINT) | IN(ITER)))
		check_set_integer(ast, 0, type_integer(1, false));
	return type_integer(1, false);
}

static struct low_value lower_usermode(struct lower *l, struct ast *ast)
{
	return lower_scalar(lower_user_mode(l), ast->type);
}

BUILTIN(usermode, check_usermode, lower_usermode);

static struct low_value lower_place_name(struct lower *l, struct ast *ast)
{
	return lower_scalar(lower_place_number(l), ast->type);
}

BUILTIN(probe, check_simple, lower_place_name, .result = TYPE_PROBE, .is_stable = true);
BUILTIN(func, check_simple, lower_place_name, .result = TYPE_FUNCTION, .is_stable = true,
	.probes = IN(KPROBE) | IN(KRETPROBE) | IN(FENTRY) | IN(FEXIT) | IN(UPROBE) | IN(URETPROBE) | IN(TRACEPOINT) |
		  IN(RAWTRACEPOINT) | IN(USDT));

/* Begin and end have one name. */
static const struct type *check_probetype(struct checker *c, struct ast *ast)
{
	enum lang_probe_kind kind = c->probe->probe->kind;

	check_set_text(c, ast, kind == PROBE_BEGIN || kind == PROBE_END ? "special" : lang_probe_kind_name(kind));
	return ast->type;
}

BUILTIN(probetype, check_probetype, lower_nothing);

static bool is_trampoline(const struct lang_probe *probe)
{
	return probe->kind == PROBE_FENTRY || probe->kind == PROBE_FEXIT;
}

static void hint_reg(struct checker *c, const struct ast *ast)
{
	if (is_trampoline(c->probe->probe))
		check_hint(c, ast->at,
			   "the kernel gives a trampoline arguments and results, and no registers: kprobe has them");
}

static struct low_value lower_caller_symbol(struct lower *l, struct ast *ast)
{
	return lower_scalar(lower_caller(l), ast->type);
}

BUILTIN(caller, check_simple, lower_caller_symbol, .hint = hint_reg, .result = TYPE_KSYM, .probes = IN(KPROBE));

static struct low_value lower_ucaller(struct lower *l, struct ast *ast)
{
	return lower_usym(l, lower_caller(l), ast->type);
}

BUILTIN(ucaller, check_simple, lower_ucaller, .result = TYPE_USYM, .probes = IN(UPROBE));

/* Of a trampoline the kernel knows the address of the function, and no other register. */
static const struct type *check_reg(struct checker *c, struct ast *call)
{
	const char *name = check_text_argument(c, call, 0);

	if (!name || !is_trampoline(c->probe->probe))
		return type_integer(8, false);
	if (!lower_is_instruction_pointer(name)) {
		check_error(c, call->at, "%s has no register %s", check_place_name(c), name);
		hint_reg(c, call);
	} else if (!c->options->features.cookies) {
		check_error(c, call->at,
			    "this kernel does not say the address of a trampoline's function (Linux 5.15 does)");
		hint_reg(c, call);
	}
	return type_integer(8, false);
}

static struct low_value lower_reg(struct lower *l, struct ast *call)
{
	const struct ast *name = call->call.args;
	struct ir_value v;

	if (is_trampoline(l->probe))
		v = lower_helper(l, BPF_FUNC_get_func_ip, 1, l->f->context);
	else
		v = lower_register(l, name->text ? name->text : name->string.text);
	return lower_scalar(v, call->type);
}

FUNCTION(reg, 1, 1, check_reg, lower_reg,
	 .probes = IN(KPROBE) | IN(KRETPROBE) | IN(FENTRY) | IN(FEXIT) | IN(UPROBE) | IN(URETPROBE) | IN(USDT) |
		   IN(PROFILE) | IN(SOFTWARE) | IN(HARDWARE) | IN(WATCHPOINT));
