// SPDX-License-Identifier: BSD-2-Clause
/* Simplifies three-address code, function by function. */
#include "ir.h"

static void count_uses(const struct ir_function *function, uint32_t *n_uses)
{
	struct ir_value *uses[IR_USES_MAX];

	memset(n_uses, 0, function->n_regs * sizeof(*n_uses));
	vec_each(block, &function->blocks) {
		vec_each(insn, block) {
			uint32_t n = ir_uses(insn, uses);

			for (uint32_t i = 0; i < n; i++)
				if (!uses[i]->is_const)
					n_uses[uses[i]->reg]++;
		}
	}
}

/* Removes what only calculates a result that nothing reads. Returns whether there was something. */
static bool remove_dead(struct ir_function *function, uint32_t *n_uses)
{
	bool removed = false;

	count_uses(function, n_uses);
	vec_each(block, &function->blocks) {
		size_t n = 0;

		vec_each(insn, block)
			if (ir_has_effect(insn->op) || n_uses[ir_result(insn)])
				block->v[n++] = *insn;
		removed |= n != block->n;
		block->n = n;
	}
	return removed;
}

void ir_fold(struct ir_program *program)
{
	vec_each(function, &program->functions) {
		__free uint32_t *n_uses = base_alloc((function->n_regs + 1) * sizeof(*n_uses));

		while (remove_dead(function, n_uses))
			continue;
	}
}
