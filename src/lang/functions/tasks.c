// SPDX-License-Identifier: BSD-2-Clause
/* Threads and processes. */
#include <linux/bpf.h>

#include "lang/check/checker.h"
#include "lang/lower/lowering.h"

static struct low_value lower_own_pid(struct lower *l, struct ast *ast)
{
	return lower_scalar(ir_binary(&l->b, IR_SHR, lower_ids(l), ir_imm(32)), ast->type);
}

BUILTIN(pid, check_uint32, lower_own_pid, .is_stable = true);

static struct low_value lower_own_tid(struct lower *l, struct ast *ast)
{
	return lower_scalar(ir_unary(&l->b, IR_ZERO, 32, lower_ids(l)), ast->type);
}

BUILTIN(tid, check_uint32, lower_own_tid, .is_stable = true);

static const struct type *check_id(struct checker *c, struct ast *call)
{
	static const char *const namespaces[] = { "curr_ns", "init" };

	check_word(c, call, namespaces, ARRAY_SIZE(namespaces));
	return type_integer(4, false);
}

/* By default in the reader's namespace. */
static struct ir_value ids_of(struct lower *l, struct ast *call)
{
	return !strcmp(call->call.args->name.name, "init") ? lower_helper(l, BPF_FUNC_get_current_pid_tgid, 0)
							   : lower_library(l, LANG_FN_ids, 0);
}

static struct low_value lower_pid(struct lower *l, struct ast *call)
{
	return lower_scalar(ir_binary(&l->b, IR_SHR, ids_of(l, call), ir_imm(32)), call->type);
}

FUNCTION(pid, 0, 1, check_id, lower_pid);

static struct low_value lower_tid(struct lower *l, struct ast *call)
{
	return lower_scalar(ir_unary(&l->b, IR_ZERO, 32, ids_of(l, call)), call->type);
}

FUNCTION(tid, 0, 1, check_id, lower_tid);

static const struct type *check_ppid(struct checker *c, struct ast *call)
{
	check_scalar_argument(c, call, "a pointer to struct task_struct");
	return type_integer(4, false);
}

static struct low_value lower_ppid(struct lower *l, struct ast *call)
{
	return lower_scalar(lower_library(l, LANG_FN_parent, 1, lower_number(l, call->call.args)), call->type);
}

FUNCTION(ppid, 0, 1, check_ppid, lower_ppid);

static struct ir_value own_task(struct lower *l)
{
	return lower_once(l, KNOWN_TASK, BPF_FUNC_get_current_task);
}

static struct low_value lower_own_ppid(struct lower *l, struct ast *ast)
{
	return lower_scalar(lower_library(l, LANG_FN_parent, 1, own_task(l)), ast->type);
}

BUILTIN(ppid, check_uint32, lower_own_ppid);

static const struct type *check_curtask(struct checker *c, struct ast *ast)
{
	return check_kernel_pointer(c, "task_struct", SPACE_KERNEL);
}

static struct low_value lower_curtask(struct lower *l, struct ast *ast)
{
	return lower_scalar(own_task(l), ast->type);
}

BUILTIN(curtask, check_curtask, lower_curtask, .is_stable = true);

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
	memory = lower_pointed(own_task(l), SPACE_KERNEL);
	memory.at = se.at + sum.at;
	return lower_scalar(lower_load_scalar(l, &memory, type_integer(8, false)), ast->type);
}

BUILTIN(vtimestamp, check_uint64, lower_vtimestamp);

static const struct type *check_pcomm(struct checker *c, struct ast *call)
{
	check_scalar_argument(c, call, "a pointer to struct task_struct");
	return type_string(c->pool, 16);
}

static struct low_value lower_pcomm(struct lower *l, struct ast *call)
{
	return lower_group_comm(l, lower_number(l, call->call.args), call->type);
}

FUNCTION(pcomm, 0, 1, check_pcomm, lower_pcomm);

static struct low_value lower_own_pcomm(struct lower *l, struct ast *ast)
{
	return lower_group_comm(l, lower_helper(l, BPF_FUNC_get_current_task, 0), ast->type);
}

BUILTIN(pcomm, check_comm_name, lower_own_pcomm);

static const struct type *check_progenyof(struct checker *c, struct ast *call)
{
	check_integer(c, call->call.args, "the id of a process");
	return type_bool();
}

static struct low_value lower_progenyof(struct lower *l, struct ast *call)
{
	return lower_scalar(lower_library(l, LANG_FN_progeny, 1, lower_number(l, call->call.args)), call->type);
}

FUNCTION(progenyof, 1, 1, check_progenyof, lower_progenyof);

static struct ir_value user_and_group(struct lower *l)
{
	return lower_once(l, KNOWN_USER, BPF_FUNC_get_current_uid_gid);
}

static struct low_value lower_uid(struct lower *l, struct ast *ast)
{
	return lower_scalar(ir_unary(&l->b, IR_ZERO, 32, user_and_group(l)), ast->type);
}

BUILTIN(uid, check_uint64, lower_uid, .is_stable = true);
BUILTIN(username, check_simple, lower_uid, .result = TYPE_USER);

static struct low_value lower_gid(struct lower *l, struct ast *ast)
{
	return lower_scalar(ir_binary(&l->b, IR_SHR, user_and_group(l), ir_imm(32)), ast->type);
}

BUILTIN(gid, check_uint64, lower_gid, .is_stable = true);

static struct low_value lower_cgroup(struct lower *l, struct ast *ast)
{
	return lower_scalar(lower_once(l, KNOWN_CGROUP, BPF_FUNC_get_current_cgroup_id), ast->type);
}

BUILTIN(cgroup, check_uint64, lower_cgroup, .is_stable = true);

/* The command of -c. */
static const struct type *check_cpid(struct checker *c, struct ast *ast)
{
	if (!c->options->command)
		check_warning(c, ast->at, "cpid is 0: there is no -c, and so no child process");
	check_set_integer(ast, c->options->command, type_integer(4, false));
	return ast->type;
}

BUILTIN(cpid, check_cpid, lower_nothing);

static const struct type *check_has_cpid(struct checker *c, struct ast *ast)
{
	check_set_bool(ast, c->options->command > 0);
	return ast->type;
}

BUILTIN(has_cpid, check_has_cpid, lower_nothing);
