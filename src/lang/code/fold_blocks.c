// SPDX-License-Identifier: BSD-2-Clause
/*
 * Jumps go past blocks that only jump; blocks that follow each other become one; those that nothing leads to are
 * emptied.
 */
#include "fold_part.h"

static struct ir_insn *end_of(struct ir_block *block)
{
	return &block->v[block->n - 1];
}

/* Where a jump to a block leads in the end. A ring of empty blocks leads anywhere in it. */
static uint32_t destination(const struct fold *fold, uint32_t block)
{
	for (int steps = 0; steps < 16; steps++) {
		const struct ir_block *at = &fold->ir->blocks.v[block];

		if (at->n != 1 || at->v[0].op != IR_JUMP)
			break;
		block = at->v[0].then;
	}
	return block;
}

static void thread(struct fold *fold, uint32_t *target)
{
	uint32_t to = destination(fold, *target);

	fold->changed |= to != *target;
	*target = to;
}

/* A jump to a block that only returns: the return itself. */
static void return_early(struct fold *fold, struct ir_insn *end)
{
	const struct ir_block *to = &fold->ir->blocks.v[end->then];

	if (end->op != IR_JUMP || to->n != 1 || to->v[0].op != IR_RETURN)
		return;
	*end = to->v[0];
	fold->changed = true;
}

static void mark_reached(const struct fold *fold, uint32_t first, bool *reached)
{
	__free uint32_t *todo = base_alloc((fold->ir->blocks.n + 1) * sizeof(*todo));
	size_t n = 0;

	reached[first] = true;
	todo[n++] = first;
	while (n) {
		uint32_t targets[2], n_targets = ir_targets(end_of(&fold->ir->blocks.v[todo[--n]]), targets);

		for (uint32_t t = 0; t < n_targets; t++)
			if (!reached[targets[t]]) {
				reached[targets[t]] = true;
				todo[n++] = targets[t];
			}
	}
}

static void empty_unreached(struct fold *fold)
{
	__free bool *reached = base_alloc(fold->ir->blocks.n + 1);

	mark_reached(fold, 0, reached);
	for (size_t i = 0; i < fold->ir->blocks.n; i++) {
		struct ir_block *block = &fold->ir->blocks.v[i];

		if (!reached[i] && block->n) {
			block->n = 0;
			fold->changed = true;
		}
	}
}

static void count_before(struct fold *fold)
{
	memset(fold->n_before, 0, fold->ir->blocks.n * sizeof(*fold->n_before));
	fold->n_before[0] = 1;
	for (size_t i = 0; i < fold->ir->blocks.n; i++) {
		struct ir_block *block = &fold->ir->blocks.v[i];
		uint32_t targets[2], n = block->n ? ir_targets(end_of(block), targets) : 0;

		for (uint32_t t = 0; t < n; t++) {
			fold->n_before[targets[t]]++;
			fold->before[targets[t]] = i;
		}
	}
}

/* Puts the blocks that only this one leads to behind its own instructions. */
static void join(struct fold *fold, uint32_t number)
{
	struct ir_block *block = &fold->ir->blocks.v[number];

	while (block->n && end_of(block)->op == IR_JUMP) {
		uint32_t next = end_of(block)->then;
		struct ir_block *from = &fold->ir->blocks.v[next];

		if (next == number || fold->n_before[next] != 1)
			return;
		block->n--;
		vec_each(insn, from)
			*vec_push(block) = *insn;
		from->n = 0;
		fold->changed = true;
	}
}

void fold_blocks(struct fold *fold)
{
	struct ir_function *ir = fold->ir;

	vec_each(block, &ir->blocks) {
		struct ir_insn *end = block->n ? end_of(block) : NULL;

		if (!end || (end->op != IR_JUMP && end->op != IR_BRANCH))
			continue;
		thread(fold, &end->then);
		if (end->op == IR_BRANCH)
			thread(fold, &end->otherwise);
		return_early(fold, end);
	}
	empty_unreached(fold);
	count_before(fold);
	for (size_t i = 0; i < ir->blocks.n; i++)
		join(fold, i);
	count_before(fold);
}
