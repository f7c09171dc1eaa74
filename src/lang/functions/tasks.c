// SPDX-License-Identifier: BSD-2-Clause
/* Threads and processes. */
#include <linux/bpf.h>

#include "lang/check/checker.h"
#include "lang/lower/lowering.h"

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
