// SPDX-License-Identifier: BSD-2-Clause
/* Calls of functions, but for those of maps and texts. */
#include <linux/bpf.h>

#include "lower_part.h"

struct ast *lower_call_argument(struct ast *call, unsigned int n)
{
	struct ast *arg = call->call.args;

	while (arg && n--)
		arg = arg->next;
	return arg;
}

static struct low_value nothing(void)
{
	return lower_scalar(ir_imm(0), type_void());
}

/* exit(): programs that start from now on do nothing, and this one ends. */
static struct low_value lower_exit_call(struct lower *l, struct ast *call)
{
	struct ir_value state;

	lower_record(l, call->call.site, call->call.args);
	state = ir_address(&l->b, IR_DATA, LANG_DATA_STATE, 0);
	ir_store(&l->b, 64, state, offsetof(struct lang_state, exited), ir_imm(1));
	if (l->f->outer) {
		struct low_memory at = lower_shared(l, SHARED_RETURNED);

		lower_store(l, &at, 64, ir_imm(1));
		l->f->may_return = true;
		ir_move(&l->b, l->f->result, ir_imm(1));
	}
	lower_exit(l);
	lower_at(l, ir_new_block(&l->b)); /* nothing comes here */
	return nothing();
}

/* listed(x, "80,81") */
static struct low_value lower_listed(struct lower *l, struct ast *call)
{
	const struct ast *second = call->call.args->next;
	const char *at = second->text ? second->text : second->string.text;
	uint32_t is = ir_new_reg(&l->b), found = ir_new_block(&l->b), done = ir_new_block(&l->b);
	struct ir_value v = lower_number(l, call->call.args);
	char *end;

	if (v.is_const)
		v = ir_unary(&l->b, IR_MOVE, 64, v);
	do {
		uint32_t next = ir_new_block(&l->b);

		ir_branch(&l->b, IR_EQ, v, ir_imm(strtoll(at, &end, 0)), found, next);
		lower_at(l, next);
		at = end + 1;
	} while (*end);
	ir_move(&l->b, is, ir_imm(0));
	ir_jump(&l->b, done);
	lower_at(l, found);
	ir_move(&l->b, is, ir_imm(1));
	ir_jump(&l->b, done);
	lower_at(l, done);
	return lower_scalar(ir_reg(is), call->type);
}

/* print() of a value, of a map, and of one entry of a map; printa(). */
static struct low_value lower_print(struct lower *l, struct ast *call)
{
	struct lang_site *site = call->call.site;
	struct ast *arg = call->call.args;
	struct low_value values[2];

	if (site->kind == SITE_PRINT_MAP) {
		lower_record(l, site, site->format ? arg->next->next : arg->next);
	} else if (site->kind == SITE_PRINT_ENTRY) {
		values[0] = lower_expression(l, arg->map.key);
		if (site->n_args > 1)
			values[1] = type_is_aggregate(arg->map.map->value)
					    ? lower_total(l, arg->map.map, arg->map.key, site->args[1].type)
					    : lower_map_read(l, arg->map.map, arg->map.key);
		lower_record_values(l, site, values);
	} else {
		lower_record(l, site, arg);
	}
	return nothing();
}

static struct low_value lower_swap(struct lower *l, struct ast *call)
{
	struct ast *arg = call->call.args;
	struct ir_value v = lower_number(l, arg);

	if (call->type->size <= 1)
		return lower_scalar(v, call->type);
	if (v.is_const)
		v = ir_unary(&l->b, IR_MOVE, 64, v);
	return lower_scalar(ir_unary(&l->b, IR_SWAP, call->type->size * 8, v), call->type);
}

struct ir_value lower_wall_clock(struct lower *l)
{
	struct ir_value now = lower_helper(l, BPF_FUNC_ktime_get_boot_ns, 0);
	struct ir_value state = ir_address(&l->b, IR_DATA, LANG_DATA_STATE, 0);

	return ir_binary(&l->b, IR_ADD, now, ir_load(&l->b, 64, false, state, offsetof(struct lang_state, epoch)));
}

/* nsecs(boot), nsecs(monotonic), nsecs(tai), nsecs(sw_tai) */
static struct ir_value lower_clock(struct lower *l, struct ast *call)
{
	const char *name = call->call.args && call->call.args->kind == AST_NAME ? call->call.args->name.name : "boot";

	if (!strcmp(name, "monotonic"))
		return lower_helper(l, BPF_FUNC_ktime_get_ns, 0);
	if (!strcmp(name, "tai") && l->options->features.tai)
		return lower_library(l, LANG_FN_time_tai, 0);
	if (!strcmp(name, "tai") || !strcmp(name, "sw_tai"))
		return lower_wall_clock(l);
	return lower_helper(l, BPF_FUNC_ktime_get_boot_ns, 0);
}

/* pid() and tid(): by default in the reader's namespace. */
static struct ir_value lower_id(struct lower *l, struct ast *call, bool is_thread)
{
	const char *name = call->call.args && call->call.args->kind == AST_NAME ? call->call.args->name.name : "";
	struct ir_value ids = !strcmp(name, "init") ? lower_helper(l, BPF_FUNC_get_current_pid_tgid, 0)
						    : lower_library(l, LANG_FN_ids, 0);

	return is_thread ? ir_unary(&l->b, IR_ZERO, 32, ids) : ir_binary(&l->b, IR_SHR, ids, ir_imm(32));
}

/* A helper that programs may not be able to call here; its result is not used. */
static struct low_value lower_order(struct lower *l, struct ast *call, uint32_t helper)
{
	struct ir_value v = lower_number(l, call->call.args);

	if (helper == BPF_FUNC_override_return)
		lower_helper(l, helper, 2, l->f->context, v);
	else
		lower_helper(l, helper, 1, v);
	return nothing();
}

/* write_user(to, from, size) of what is in the program's memory. */
static struct low_value lower_write_user(struct lower *l, struct ast *call)
{
	struct ast *value = lower_call_argument(call, 1);
	struct ir_value to = lower_number(l, call->call.args), from;
	struct low_value v = lower_expression(l, value);
	struct low_memory place = lower_place(l, &v, value->type);

	from = lower_address(l, &place);
	lower_helper(l, BPF_FUNC_probe_write_user, 3, to, from, ir_imm(value->type->size));
	return nothing();
}

/* percpu_kaddr(symbol[, cpu]): the symbol's place in the part of that processor; NULL if there is no such processor. */
static struct low_value lower_percpu(struct lower *l, struct ast *call)
{
	struct ast *symbol = call->call.args, *cpu = symbol->next;
	uint32_t there = ir_new_block(&l->b), done = ir_new_block(&l->b), dst = ir_new_reg(&l->b);
	struct ir_value n = cpu ? lower_number(l, cpu) : lower_helper(l, BPF_FUNC_get_smp_processor_id, 0);
	struct low_memory offset = lower_pointed(ir_imm(0), SPACE_KERNEL);

	if (n.is_const)
		n = ir_unary(&l->b, IR_MOVE, 64, n);
	ir_move(&l->b, dst, ir_imm(0));
	ir_branch(&l->b, IR_LT, n, ir_imm(l->options->n_cpus), there, done);
	lower_at(l, there);
	offset.base = ir_unary(&l->b, IR_MOVE, 64, ir_imm(call->constant));
	offset.base = ir_binary(&l->b, IR_ADD, offset.base, ir_binary(&l->b, IR_SHL, n, ir_imm(3)));
	n = lower_load_scalar(l, &offset, type_integer(8, false));
	ir_move(&l->b, dst, ir_binary(&l->b, IR_ADD, n, ir_unary(&l->b, IR_MOVE, 64, ir_imm(symbol->constant))));
	ir_jump(&l->b, done);
	lower_at(l, done);
	return lower_scalar(ir_reg(dst), call->type);
}

/* The task of ppid(task) and pcomm(task). */
static struct ir_value lower_task(struct lower *l, struct ast *arg)
{
	return arg ? lower_number(l, arg) : lower_helper(l, BPF_FUNC_get_current_task, 0);
}

static struct low_value lower_value_call(struct lower *l, struct ast *call)
{
	struct ast *arg = call->call.args;

	switch (call->call.function->id) {
	case FUNCTION_KSYM:
	case FUNCTION_STRERROR:
	case FUNCTION_SYSCALL_NAME:
	case FUNCTION_KPTR:
	case FUNCTION_UPTR:
	case FUNCTION_CGROUP_PATH:
		return lower_scalar(lower_cut(l, lower_number(l, arg), call->type), call->type);
	case FUNCTION_USYM:
		return lower_usym(l, lower_number(l, arg), call->type);
	case FUNCTION_KSTACK:
	case FUNCTION_USTACK:
		return lower_stack(l, call->call.function->id == FUNCTION_USTACK, call->type);
	case FUNCTION_REG:
		return lower_scalar(lower_register(l, arg->text ? arg->text : arg->string.text), call->type);
	case FUNCTION_NSECS:
		return lower_scalar(lower_clock(l, call), call->type);
	case FUNCTION_PID:
	case FUNCTION_TID:
		return lower_scalar(lower_id(l, call, call->call.function->id == FUNCTION_TID), call->type);
	case FUNCTION_PPID:
		return lower_scalar(lower_library(l, LANG_FN_parent, 1, lower_task(l, arg)), call->type);
	case FUNCTION_PCOMM:
		return lower_group_comm(l, lower_task(l, arg), call->type);
	case FUNCTION_BSWAP:
		return lower_swap(l, call);
	case FUNCTION_PROGENYOF:
		return lower_scalar(lower_library(l, LANG_FN_progeny, 1, lower_number(l, arg)), call->type);
	case FUNCTION_SOCKET_COOKIE:
		if (!l->options->features.fetching_atomics) /* of the same kernel */
			lower_error(l, call->at,
				    "this kernel does not let these probes call socket_cookie() (Linux 5.12 does)");
		return lower_scalar(lower_helper(l, BPF_FUNC_get_socket_cookie, 1, lower_trusted(l, arg)), call->type);
	case FUNCTION_SIGNAL:
		return lower_order(l, call, BPF_FUNC_send_signal);
	case FUNCTION_SIGNAL_THREAD:
		return lower_order(l, call, BPF_FUNC_send_signal_thread);
	case FUNCTION_OVERRIDE:
		l->probe->needs.registers = true;
		return lower_order(l, call, BPF_FUNC_override_return);
	case FUNCTION_WRITE_USER:
		return lower_write_user(l, call);
	case FUNCTION_PERCPU_KADDR:
		return lower_percpu(l, call);
	case FUNCTION_LISTED:
		return lower_listed(l, call);
	default:
		return lower_call_text(l, call);
	}
}

struct low_value lower_call(struct lower *l, struct ast *call)
{
	switch (call->call.function->id) {
	case FUNCTION_DELETE:
	case FUNCTION_HAS_KEY:
	case FUNCTION_FIND:
		return lower_map_call(l, call);
	case FUNCTION_LEN:
		return lower_len(l, call);
	case FUNCTION_PRINT:
	case FUNCTION_PRINTA:
		return lower_print(l, call);
	case FUNCTION_PRINTF:
	case FUNCTION_ERRORF:
	case FUNCTION_WARNF:
	case FUNCTION_CAT:
	case FUNCTION_SYSTEM:
		lower_record(l, call->call.site, call->call.args->next);
		return nothing();
	case FUNCTION_CLEAR:
	case FUNCTION_ZERO:
	case FUNCTION_TIME:
		lower_record(l, call->call.site, NULL);
		return nothing();
	case FUNCTION_EXIT:
		return lower_exit_call(l, call);
	case FUNCTION_JOIN:
		lower_join(l, call);
		return nothing();
	case FUNCTION_STATIC_ASSERT:
	case FUNCTION_ASSERT_STR:
		return nothing();
	default:
		return lower_value_call(l, call);
	}
}
