// SPDX-License-Identifier: BSD-2-Clause
/* comm: the name of the current thread. comm(pid): that of the process, or thread, with this id. */
#include "lang/check/checker.h"
#include "lang/lower/lowering.h"

static struct low_value lower_own_comm(struct lower *l, struct ast *ast)
{
	return (struct low_value){ .kind = LOW_COMM, .type = ast->type };
}

BUILTIN(comm, check_comm_name, lower_own_comm);

static const struct type *check_comm(struct checker *c, struct ast *call)
{
	check_scalar_argument(c, call, "a process id");
	return check_comm_name(c, call);
}

/* "N/A" if there is no such process, as bpftrace says. */
static struct low_value lower_comm(struct lower *l, struct ast *call)
{
	struct ir_value id = ir_unary(&l->b, IR_ZERO, 32, lower_number(l, call->call.args));
	struct low_memory to = lower_temp(l, call->type->size);

	lower_zero(l, &to, call->type->size);
	lower_library(l, LANG_FN_comm, 2, id, lower_address(l, &to));
	return lower_at_memory(to, call->type);
}

FUNCTION(comm, 0, 1, check_comm, lower_comm);
