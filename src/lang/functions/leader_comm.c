// SPDX-License-Identifier: BSD-2-Clause
/* leader_comm: the name of the first thread of the process; leader_comm(task) of another task's. */
#include <linux/bpf.h>

#include "lang/check/checker.h"
#include "lang/lower/lowering.h"

static const struct type *check_leader_comm(struct checker *c, struct ast *call)
{
	check_scalar_argument(c, call, "a pointer to struct task_struct");
	return check_comm_name(c, call);
}

static struct low_value lower_leader_comm(struct lower *l, struct ast *ast)
{
	struct ir_value task = ast->kind == AST_CALL ? lower_number(l, ast->call.args)
						     : lower_once(l, KNOWN_TASK, BPF_FUNC_get_current_task);

	return lower_group_comm(l, task, ast->type);
}

BUILTIN(leader_comm, check_comm_name, lower_leader_comm);
FUNCTION(leader_comm, 0, 1, check_leader_comm, lower_leader_comm);
