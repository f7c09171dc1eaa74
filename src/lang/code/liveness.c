// SPDX-License-Identifier: BSD-2-Clause
/* Which registers are live at the ends of blocks, by iteration; then the ranges of each, from back to front. */
#include "liveness.h"

struct sets {
	const struct legal *legal;
	size_t words; /* of a set */
	uint64_t *in; /* by number of the block: what is live at its begin */
};

static bool has(const uint64_t *set, uint32_t reg)
{
	return set[reg / 64] >> reg % 64 & 1;
}

static void set(uint64_t *set, uint32_t reg, bool on)
{
	uint64_t bit = 1ULL << reg % 64;

	set[reg / 64] = on ? set[reg / 64] | bit : set[reg / 64] & ~bit;
}

/* live: what is live at the end of the block. */
static void live_out(const struct sets *s, const struct ir_block *block, uint64_t *live)
{
	uint32_t targets[2], n = ir_targets(&block->v[block->n - 1], targets);

	memset(live, 0, s->words * sizeof(*live));
	for (uint32_t t = 0; t < n; t++)
		for (size_t w = 0; w < s->words; w++)
			live[w] |= s->in[targets[t] * s->words + w];
}

static bool is_kept(const struct legal *legal, const struct ir_value *value)
{
	return !value->is_const && !legal_origin(legal, value->reg);
}

static void live_in(const struct sets *s, const struct ir_block *block, uint64_t *live)
{
	struct ir_value *uses[IR_USES_MAX];

	for (size_t i = block->n; i--;) {
		struct ir_insn *insn = &block->v[i];
		uint32_t n = ir_uses(insn, uses);

		if (ir_result(insn) != IR_NONE)
			set(live, insn->dst, false);
		for (uint32_t u = 0; u < n; u++)
			if (is_kept(s->legal, uses[u]))
				set(live, uses[u]->reg, true);
	}
}

static void iterate(struct sets *s, uint64_t *live)
{
	const struct legal *legal = s->legal;
	bool changed = true;

	while (changed) {
		changed = false;
		for (uint32_t i = legal->n_order; i--;) {
			const struct ir_block *block = &legal->ir.blocks.v[legal->order[i]];
			uint64_t *in = &s->in[legal->order[i] * s->words];

			live_out(s, block, live);
			live_in(s, block, live);
			if (!memcmp(in, live, s->words * sizeof(*live)))
				continue;
			memcpy(in, live, s->words * sizeof(*live));
			changed = true;
		}
	}
}

/* --- ranges --- */

/* Adds a range in front of those that there are. */
static void add_range(struct live_value *value, uint32_t from, uint32_t to)
{
	struct live_range *last = value->n ? &value->v[value->n - 1] : NULL;

	if (!last || to < last->from) {
		*vec_push(value) = (struct live_range){ from, to };
		return;
	}
	last->from = from < last->from ? from : last->from;
	last->to = to > last->to ? to : last->to;
}

/* Whether the second operand must not be in the register of the result: dst = a; dst -= b. */
static bool reads_late(const struct ir_insn *insn, const struct ir_value *use)
{
	return use == &insn->b && insn->op >= IR_SUB && insn->op <= IR_SAR && !legal_commutes(insn->op);
}

static void add_insn(const struct legal *legal, struct liveness *liveness, struct ir_insn *insn, uint32_t begin,
		     uint32_t number, double frequency)
{
	struct ir_value *uses[IR_USES_MAX];
	uint32_t n = ir_uses(insn, uses), at = number * POSITIONS;

	if (ir_result(insn) != IR_NONE) {
		struct live_value *value = &liveness->values[insn->dst];
		struct live_range *last = value->n ? &value->v[value->n - 1] : NULL;

		value->weight += frequency;
		if (last && last->from <= at + POSITION_WRITE && last->to > at + POSITION_WRITE)
			last->from = at + POSITION_WRITE;
		else
			add_range(value, at + POSITION_WRITE, at + POSITION_WRITE + 1);
	}
	for (uint32_t u = 0; u < n; u++) {
		if (!is_kept(legal, uses[u]))
			continue;
		liveness->values[uses[u]->reg].weight += frequency;
		add_range(&liveness->values[uses[u]->reg], begin,
			  at + (reads_late(insn, uses[u]) ? POSITION_WRITE + 1 : POSITION_READ + 1));
	}
}

/* How often blocks run, by their place in the order: ten times as often for each jump back over them. */
static double *frequencies(const struct legal *legal)
{
	__free uint32_t *place = base_alloc((legal->ir.blocks.n + 1) * sizeof(*place));
	double *of = base_alloc((legal->n_order + 1) * sizeof(*of));

	for (uint32_t i = 0; i < legal->n_order; i++) {
		place[legal->order[i]] = i;
		of[i] = legal->ir.blocks.v[legal->order[i]].is_cold ? 0.01 : 1;
	}
	for (uint32_t i = 0; i < legal->n_order; i++) {
		const struct ir_block *block = &legal->ir.blocks.v[legal->order[i]];
		uint32_t targets[2], n = ir_targets(&block->v[block->n - 1], targets);

		for (uint32_t t = 0; t < n; t++)
			for (uint32_t k = place[targets[t]]; k <= i && of[k] < 1e6; k++)
				of[k] *= 10;
	}
	return of;
}

static void add_block(const struct sets *s, struct liveness *liveness, const struct ir_block *block, uint64_t *live,
		      uint32_t begin, double frequency)
{
	uint32_t first = begin * POSITIONS;

	live_out(s, block, live);
	for (uint32_t reg = 0; reg < liveness->n_values; reg++)
		if (has(live, reg))
			add_range(&liveness->values[reg], first, (begin + block->n) * POSITIONS);
	for (size_t i = block->n; i--;)
		add_insn(s->legal, liveness, &block->v[i], first, begin + i, frequency);
}

/* Parameters are written in front of the first instruction. */
static void add_params(const struct legal *legal, struct liveness *liveness, const uint64_t *live)
{
	for (uint32_t reg = 0; reg < liveness->n_values; reg++)
		if (has(live, reg) && (reg < legal->ir.n_params || reg == legal->context))
			add_range(&liveness->values[reg], 0, POSITIONS);
}

void liveness_make(const struct legal *legal, struct liveness *liveness)
{
	const struct ir_function *ir = &legal->ir;
	struct sets s = { .legal = legal, .words = ir->n_regs / 64 + 1 };
	__free uint64_t *in = base_alloc(ir->blocks.n * s.words * sizeof(*in));
	__free uint64_t *live = base_alloc(s.words * sizeof(*live));
	__free double *frequency = frequencies(legal);
	uint32_t end = 1;

	*liveness = (struct liveness){ .n_values = ir->n_regs };
	liveness->values = base_alloc((ir->n_regs + 1) * sizeof(*liveness->values));
	s.in = in;
	iterate(&s, live);
	for (uint32_t i = 0; i < legal->n_order; i++)
		end += ir->blocks.v[legal->order[i]].n;
	liveness->n_positions = end * POSITIONS;
	for (uint32_t i = legal->n_order; i--;) {
		const struct ir_block *block = &ir->blocks.v[legal->order[i]];

		end -= block->n;
		add_block(&s, liveness, block, live, end, frequency[i]);
	}
	add_params(legal, liveness, &s.in[legal->order[0] * s.words]);
}

void liveness_release(struct liveness *liveness)
{
	for (uint32_t i = 0; i < liveness->n_values; i++)
		free(liveness->values[i].v);
	free(liveness->values);
	*liveness = (struct liveness){};
}
