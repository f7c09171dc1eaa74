// SPDX-License-Identifier: BSD-2-Clause
/* Simplifies three-address code, function by function: repeats the steps of fold_part.h until none changes anything. */
#include "fold_part.h"

#define ROUNDS_MAX 20

static void count(struct fold *fold, struct ir_insn *insn)
{
	struct ir_value *uses[IR_USES_MAX];
	uint32_t n = ir_uses(insn, uses), dst = ir_result(insn);

	for (uint32_t i = 0; i < n; i++) {
		uint8_t bits = uses[i] == &insn->b && insn->op == IR_STORE && insn->bits ? insn->bits : 64;

		if (uses[i]->is_const)
			continue;
		fold->n_used[uses[i]->reg]++;
		if (bits > fold->n_bits[uses[i]->reg])
			fold->n_bits[uses[i]->reg] = bits;
	}
	if (dst == IR_NONE)
		return;
	fold->n_defined[dst]++;
	fold->by[dst] = *insn;
}

/* Counts the uses of registers anew. */
static void fold_begin(struct fold *fold, struct ir_function *ir)
{
	fold->ir = ir;
	fold->n_defined = base_alloc((ir->n_regs + 1) * sizeof(*fold->n_defined));
	fold->n_used = base_alloc((ir->n_regs + 1) * sizeof(*fold->n_used));
	fold->n_bits = base_alloc(ir->n_regs + 1);
	fold->by = base_alloc((ir->n_regs + 1) * sizeof(*fold->by));
	fold->n_before = base_alloc((ir->blocks.n + 1) * sizeof(*fold->n_before));
	fold->before = base_alloc((ir->blocks.n + 1) * sizeof(*fold->before));
	for (uint32_t i = 0; i < ir->n_regs; i++)
		fold->by[i].op = IR_OPS;
	for (uint32_t i = 0; i < ir->n_params; i++)
		fold->n_defined[i] = 1;
	vec_each(block, &ir->blocks)
		vec_each(insn, block)
			count(fold, insn);
	fold->changed = false;
}

static void fold_end(struct fold *fold)
{
	free(fold->n_defined);
	free(fold->n_used);
	free(fold->n_bits);
	free(fold->by);
	free(fold->n_before);
	free(fold->before);
}

const struct ir_insn *fold_origin(const struct fold *fold, const struct ir_value *value)
{
	if (value->is_const || fold->n_defined[value->reg] != 1 || fold->by[value->reg].op == IR_OPS)
		return NULL;
	return &fold->by[value->reg];
}

/* Removes what only calculates a result that nothing reads, and copies of a register to itself. */
static void remove_dead(struct fold *fold)
{
	vec_each(block, &fold->ir->blocks) {
		size_t n = 0;

		vec_each(insn, block) {
			bool self = insn->op == IR_MOVE && !insn->a.is_const && insn->a.reg == insn->dst;

			if (ir_has_effect(insn->op) || (fold->n_used[insn->dst] && !self))
				block->v[n++] = *insn;
		}
		fold->changed |= n != block->n;
		block->n = n;
	}
}

static void fold_function(struct ir_function *function)
{
	bool again = true;

	for (int round = 0; again && round < ROUNDS_MAX; round++) {
		struct fold fold;

		fold_begin(&fold, function);
		fold_blocks(&fold);
		fold_values(&fold);
		fold_end(&fold);
		/* what the steps have changed is counted anew */
		again = fold.changed;
		fold_begin(&fold, function);
		fold_blocks(&fold);
		fold_common(&fold);
		remove_dead(&fold);
		again |= fold.changed;
		fold_end(&fold);
	}
}

void ir_fold(struct ir_program *program)
{
	vec_each(function, &program->functions)
		fold_function(function);
	ir_inline_arguments(program);
	fold_function(&program->functions.v[0]);
}
