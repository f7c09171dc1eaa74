// SPDX-License-Identifier: BSD-2-Clause
/* What several functions of the language share. */
#include "lowering.h"

struct low_value lower_nothing(struct lower *l, struct ast *call)
{
	return lower_scalar(ir_imm(0), call->type);
}

struct low_value lower_instead(struct lower *l, struct ast *call)
{
	lower_error(l, call->at, "%s() is not supported: %s", call->call.name, call->call.function->instead);
	return lower_nothing(l, call);
}

struct low_value lower_number_call(struct lower *l, struct ast *call)
{
	return lower_scalar(lower_cut(l, lower_number(l, call->call.args), call->type), call->type);
}

struct ir_value lower_bounded(struct lower *l, struct ir_value v, uint32_t min, uint32_t max)
{
	uint32_t n = ir_new_reg(&l->b), low = ir_new_block(&l->b), high = ir_new_block(&l->b);
	uint32_t next = ir_new_block(&l->b), done = ir_new_block(&l->b);

	if (v.is_const)
		return ir_imm((uint64_t)v.imm > max ? max : v.imm < min ? min
									: v.imm);
	ir_move(&l->b, n, v);
	ir_branch(&l->b, IR_GT, ir_reg(n), ir_imm(max), high, next);
	lower_at(l, high);
	ir_move(&l->b, n, ir_imm(max));
	ir_jump(&l->b, next);
	lower_at(l, next);
	if (min)
		ir_branch(&l->b, IR_LT, ir_reg(n), ir_imm(min), low, done);
	else
		ir_jump(&l->b, done);
	lower_at(l, low);
	ir_move(&l->b, n, ir_imm(min));
	ir_jump(&l->b, done);
	lower_at(l, done);
	return (struct ir_value){ .reg = n, .imm = (int64_t)max << 32 | min };
}
