// SPDX-License-Identifier: BSD-2-Clause
/* The names that stand for values: of the current task, the machine and the place that was hit. */
#include <linux/bpf.h>

#include "lowering.h"

struct ir_value lower_place_number(struct lower *l)
{
	struct ir_value slot;

	if (l->probe->n_places <= 1)
		return ir_imm(l->probe->first_place);
	l->probe->needs.place = true;
	slot = lower_library(l, LANG_FN_place, 1, l->f->context);
	return l->probe->first_place ? ir_binary(&l->b, IR_ADD, slot, ir_imm(l->probe->first_place)) : slot;
}

/* A user stack's id or an address, with the process it belongs to: ids of the host. */
static struct low_value of_process(struct lower *l, struct ir_value v, const struct type *type)
{
	struct low_memory to = lower_temp(l, 16), part = lower_behind(to, 8);
	struct ir_value ids;

	lower_store(l, &to, 64, v);
	ids = lower_helper(l, BPF_FUNC_get_current_pid_tgid, 0);
	lower_store(l, &part, 32, ir_binary(&l->b, IR_SHR, ids, ir_imm(32)));
	part.at += 4;
	lower_store(l, &part, 32, ids);
	return lower_at_memory(to, type);
}

struct low_value lower_usym(struct lower *l, struct ir_value address, const struct type *type)
{
	return of_process(l, address, type);
}

struct low_value lower_stack(struct lower *l, bool is_user, const struct type *type)
{
	if (is_user) {
		l->probe->needs.user_stack = true;
		return of_process(l, lower_library(l, LANG_FN_ustack, 1, l->f->context), type);
	}
	l->probe->needs.kernel_stack = true;
	return lower_scalar(lower_library(l, LANG_FN_kstack, 1, l->f->context), type);
}

struct ir_value lower_wall_clock(struct lower *l)
{
	struct ir_value now = lower_helper(l, BPF_FUNC_ktime_get_boot_ns, 0);
	struct ir_value state = ir_address(&l->b, IR_DATA, LANG_DATA_STATE, 0);

	return ir_binary(&l->b, IR_ADD, now, ir_load(&l->b, 64, false, state, offsetof(struct lang_state, epoch)));
}

static struct ir_value elapsed(struct lower *l)
{
	struct ir_value now = lower_helper(l, BPF_FUNC_ktime_get_boot_ns, 0);
	struct ir_value state = ir_address(&l->b, IR_DATA, LANG_DATA_STATE, 0);

	return ir_binary(&l->b, IR_SUB, now, ir_load(&l->b, 64, false, state, offsetof(struct lang_state, began)));
}

static struct ir_value upper(struct lower *l, struct ir_value v)
{
	return ir_binary(&l->b, IR_SHR, v, ir_imm(32));
}

static struct ir_value lower_half(struct lower *l, struct ir_value v)
{
	return ir_unary(&l->b, IR_ZERO, 32, v);
}

/* What a helper without arguments returns, which is the same in the whole run. */
static struct ir_value once(struct lower *l, uint32_t what, uint32_t helper)
{
	struct ir_value v;

	return lower_remembered(l, what, &v) ? v : lower_remember(l, what, lower_helper(l, helper, 0));
}

struct ir_value lower_ids(struct lower *l)
{
	struct ir_value v;

	if (l->options->host_ids)
		return once(l, KNOWN_IDS, BPF_FUNC_get_current_pid_tgid);
	return lower_remembered(l, KNOWN_IDS, &v) ? v : lower_remember(l, KNOWN_IDS, lower_library(l, LANG_FN_ids, 0));
}

static struct ir_value task_number(struct lower *l, uint32_t id)
{
	switch (id) {
	case BUILTIN_PID:
		return upper(l, lower_ids(l));
	case BUILTIN_TID:
		return lower_half(l, lower_ids(l));
	case BUILTIN_UID:
	case BUILTIN_USERNAME:
		return lower_half(l, once(l, KNOWN_USER, BPF_FUNC_get_current_uid_gid));
	case BUILTIN_GID:
		return upper(l, once(l, KNOWN_USER, BPF_FUNC_get_current_uid_gid));
	case BUILTIN_PPID:
		return lower_library(l, LANG_FN_parent, 1, once(l, KNOWN_TASK, BPF_FUNC_get_current_task));
	case BUILTIN_CURTASK:
		return once(l, KNOWN_TASK, BPF_FUNC_get_current_task);
	case BUILTIN_USERMODE:
		return lower_user_mode(l);
	default:
		return once(l, KNOWN_CGROUP, BPF_FUNC_get_current_cgroup_id);
	}
}

static struct ir_value machine_number(struct lower *l, uint32_t id)
{
	switch (id) {
	case BUILTIN_NSECS:
		return lower_helper(l, BPF_FUNC_ktime_get_boot_ns, 0);
	case BUILTIN_ELAPSED:
		return elapsed(l);
	case BUILTIN_CPU:
		return lower_helper(l, BPF_FUNC_get_smp_processor_id, 0);
	case BUILTIN_NCPUS:
		return ir_imm(l->options->n_cpus);
	case BUILTIN_NUMAID:
		return lower_helper(l, BPF_FUNC_get_numa_node_id, 0);
	case BUILTIN_RAND:
		return lower_half(l, lower_helper(l, BPF_FUNC_get_prandom_u32, 0));
	case BUILTIN_JIFFIES:
		return lower_helper(l, BPF_FUNC_jiffies64, 0);
	case BUILTIN_CPID:
		return ir_imm(l->options->command);
	default:
		return ir_imm(l->options->command != 0);
	}
}

struct low_value lower_group_comm(struct lower *l, struct ir_value task, const struct type *type)
{
	struct low_memory to = lower_temp(l, type->size);

	lower_zero(l, &to, type->size);
	lower_library(l, LANG_FN_group_comm, 2, task, lower_address(l, &to));
	return lower_at_memory(to, type);
}

/* The time that the current thread has been on a processor, as the scheduler last added it up. */
static struct low_value lower_vtimestamp(struct lower *l, struct ast *ast)
{
	struct ctypes *types = l->program->types;
	const struct type *task = ctypes_find(types, CTYPE_STRUCT, "task_struct", NULL);
	struct type_field se, sum;
	struct low_memory memory;

	if (!task || !ctypes_field(types, task, "se", SPACE_KERNEL, &se) ||
	    !ctypes_field(types, se.type, "sum_exec_runtime", SPACE_KERNEL, &sum)) {
		lower_error(l, ast->at, "vtimestamp needs the kernel's types (BTF)");
		return lower_scalar(ir_imm(0), ast->type);
	}
	memory = lower_pointed(once(l, KNOWN_TASK, BPF_FUNC_get_current_task), SPACE_KERNEL);
	memory.at = se.at + sum.at;
	return lower_scalar(lower_load_scalar(l, &memory, type_integer(8, false)), ast->type);
}

static uint32_t argument_number(const char *name)
{
	while (*name && (*name < '0' || *name > '9'))
		name++;
	return strtoul(name, NULL, 10);
}

struct low_value lower_name(struct lower *l, struct ast *ast)
{
	uint32_t id = ast->name.builtin ? ast->name.builtin->id : BUILTINS;

	switch (id) {
	case BUILTIN_COMM:
		return (struct low_value){ .kind = LOW_COMM, .type = ast->type };
	case BUILTIN_PCOMM:
		return lower_group_comm(l, lower_helper(l, BPF_FUNC_get_current_task, 0), ast->type);
	case BUILTIN_ERRNO:
		return lower_errno(l, ast->type);
	case BUILTIN_VTIMESTAMP:
		return lower_vtimestamp(l, ast);
	case BUILTIN_CTX:
		return lower_scalar(l->f->context, ast->type);
	case BUILTIN_ARGS:
		return lower_all_arguments(l, ast);
	case BUILTIN_ARG:
		return lower_scalar(lower_cut(l, lower_argument(l, argument_number(ast->name.name)), ast->type),
				    ast->type);
	case BUILTIN_SARG:
		return lower_scalar(lower_stack_argument(l, argument_number(ast->name.name)), ast->type);
	case BUILTIN_RETVAL:
		return lower_result(l, ast->type);
	case BUILTIN_FUNC:
	case BUILTIN_PROBE:
		return lower_scalar(lower_place_number(l), ast->type);
	case BUILTIN_KSTACK:
	case BUILTIN_USTACK:
		return lower_stack(l, id == BUILTIN_USTACK, ast->type);
	case BUILTIN_CALLER:
	case BUILTIN_UCALLER:
		return ast->type->kind == TYPE_USYM ? of_process(l, lower_caller(l), ast->type)
						    : lower_scalar(lower_caller(l), ast->type);
	case BUILTIN_PID:
	case BUILTIN_TID:
	case BUILTIN_UID:
	case BUILTIN_GID:
	case BUILTIN_PPID:
	case BUILTIN_CGROUP:
	case BUILTIN_CURTASK:
	case BUILTIN_USERNAME:
	case BUILTIN_USERMODE:
		return lower_scalar(task_number(l, id), ast->type);
	case BUILTIN_NSECS:
	case BUILTIN_ELAPSED:
	case BUILTIN_CPU:
	case BUILTIN_NCPUS:
	case BUILTIN_NUMAID:
	case BUILTIN_RAND:
	case BUILTIN_JIFFIES:
	case BUILTIN_CPID:
	case BUILTIN_HAS_CPID:
		return lower_scalar(machine_number(l, id), ast->type);
	default:
		lower_error(l, ast->at, "'%s' is not supported here", ast->name.name);
		return lower_scalar(ir_imm(0), ast->type);
	}
}
