// SPDX-License-Identifier: BSD-2-Clause
/* comm: the name of the current thread. */
#include "lang/check/checker.h"
#include "lang/lower/lowering.h"

static const struct type *check_comm(struct checker *c, struct ast *call)
{
	check_scalar_argument(c, call, "a process id");
	return type_string(c->pool, 16);
}

static struct low_value lower_comm(struct lower *l, struct ast *call)
{
	lower_error(l, call->at, "comm() of another process is not supported: str(task.comm) reads it from its task");
	return lower_nothing(l, call);
}

FUNCTION(comm, 0, 1, check_comm, lower_comm);

static struct low_value lower_own_comm(struct lower *l, struct ast *ast)
{
	return (struct low_value){ .kind = LOW_COMM, .type = ast->type };
}

BUILTIN(comm, check_comm_name, lower_own_comm);
