// SPDX-License-Identifier: BSD-2-Clause
/* is_err(p): whether the kernel returned an error in place of a pointer, as its own IS_ERR() says. */
#include "lang/check/checker.h"
#include "lang/lower/lowering.h"

#define ERRNO_MAX 4095 /* include/linux/err.h: the last so many addresses are errors */

static const struct type *check_is_err(struct checker *c, struct ast *call)
{
	const struct ast *arg = call->call.args;

	check_scalar_argument(c, call, "an integer or a pointer");
	if (arg->is_constant)
		check_set_bool(call, (uint64_t)arg->constant >= (uint64_t)-ERRNO_MAX);
	return type_bool();
}

static struct low_value lower_is_err(struct lower *l, struct ast *call)
{
	struct ir_value p = lower_number(l, call->call.args);
	uint32_t is = ir_new_reg(&l->b), no = ir_new_block(&l->b), done = ir_new_block(&l->b);

	ir_move(&l->b, is, ir_imm(1));
	ir_branch(&l->b, IR_GE, p, ir_imm(-ERRNO_MAX), done, no);
	lower_at(l, no);
	ir_move(&l->b, is, ir_imm(0));
	ir_jump(&l->b, done);
	lower_at(l, done);
	return lower_scalar(ir_reg(is), call->type);
}

FUNCTION(is_err, 1, 1, check_is_err, lower_is_err);
