// SPDX-License-Identifier: BSD-2-Clause
/*
 * Colours registers by priority ("The priority-based coloring approach to register allocation", Chow and Hennessy
 * 1990), in its simplest form: ranges may have holes, and what finds no register is spilled wherever it is used. Then
 * all is coloured anew, until nothing is spilled any more.
 */
#include "liveness.h"
#include "regalloc.h"

/* What is taken of a machine register or of a place on the stack: a bit for each position. */
struct taken {
	uint64_t *bits;
};

struct colouring {
	struct legal *legal;
	struct regalloc *to;
	struct liveness live;
	uint32_t first_tiny; /* registers from here on were made by spilling and live for one instruction only */
	size_t words;
	uint64_t *taken[REGALLOC_REGS];
	struct hints {
		struct hint {
			uint32_t reg; /* IR_NONE: a machine register */
			int8_t machine;
		} v[4];
		uint8_t n;
	} * hints; /* where a register would best be, for each register */
};

/* --- bits --- */

static uint64_t mask(uint32_t from, uint32_t to)
{
	return (to - from == 64 ? ~0ULL : (1ULL << (to - from)) - 1) << from % 64;
}

/* The end of the part of a range that begins at `at` and is within one word. */
static uint32_t word_end(const struct live_range *range, uint32_t at)
{
	uint32_t next = (at | 63) + 1;

	return next < range->to ? next : range->to;
}

/* Goes through the words of a range: a word's number is at / 64, and word_mask() has the range's bits in it. */
#define each_word(range, at) for (uint32_t at = (range)->from; at < (range)->to; at = word_end(range, at))
#define word_mask(range, at) mask(at, word_end(range, at))

static bool is_free(const uint64_t *taken, const struct live_value *value)
{
	vec_each(range, value)
		each_word(range, at) if (taken[at / 64] & word_mask(range, at)) return false;
	return true;
}

static void take(uint64_t *taken, const struct live_value *value)
{
	vec_each(range, value)
		each_word(range, at)
			taken[at / 64] |= word_mask(range, at);
}

/* --- hints: no move is needed if both have one machine register --- */

static void add_hint(struct colouring *c, uint32_t reg, uint32_t other, int8_t machine)
{
	struct hints *hints = &c->hints[reg];

	if (hints->n < ARRAY_SIZE(hints->v))
		hints->v[hints->n++] = (struct hint){ other, machine };
}

static void add_hints_both(struct colouring *c, uint32_t reg, const struct ir_value *value)
{
	if (value->is_const || legal_origin(c->legal, value->reg) || value->reg == reg)
		return;
	add_hint(c, reg, value->reg, 0);
	add_hint(c, value->reg, reg, 0);
}

static void hint_insn(struct colouring *c, const struct ir_insn *insn)
{
	if ((insn->op <= IR_ZERO && insn->op != IR_SDIV && insn->op != IR_SMOD) || insn->op == IR_ATOMIC)
		add_hints_both(c, insn->dst, &insn->a);
	if (insn->op <= IR_SAR && legal_commutes(insn->op))
		add_hints_both(c, insn->dst, &insn->b);
	if (insn->op == IR_RETURN && !insn->a.is_const)
		add_hint(c, insn->a.reg, IR_NONE, 0);
	if (!ir_is_call(insn->op))
		return;
	if (insn->dst != IR_NONE)
		add_hint(c, insn->dst, IR_NONE, 0);
	for (uint8_t i = 0; i < insn->n_args; i++)
		if (!insn->args[i].is_const)
			add_hint(c, insn->args[i].reg, IR_NONE, i + 1);
}

static void make_hints(struct colouring *c)
{
	const struct ir_function *ir = &c->legal->ir;

	c->hints = base_alloc((ir->n_regs + 1) * sizeof(*c->hints));
	for (uint32_t i = 0; i < ir->n_params; i++)
		add_hint(c, i, IR_NONE, i + 1);
	if (c->legal->context != IR_NONE && !ir->n_params)
		add_hint(c, c->legal->context, IR_NONE, 1);
	for (uint32_t i = 0; i < c->legal->n_order; i++)
		vec_each(insn, &ir->blocks.v[c->legal->order[i]])
			hint_insn(c, insn);
}

/* --- colouring --- */

/* A call destroys r0 to r5. */
static void take_calls(struct colouring *c)
{
	uint32_t number = 1;

	for (uint32_t i = 0; i < c->legal->n_order; i++) {
		vec_each(insn, &c->legal->ir.blocks.v[c->legal->order[i]]) {
			uint32_t at = number++ * POSITIONS + POSITION_CALL;

			for (int r = 0; ir_is_call(insn->op) && r <= 5; r++)
				c->taken[r][at / 64] |= 1ULL << at % 64;
		}
	}
}

/*
 * The registers of hints first, then those that calls destroy, of which r0 and the first ones are asked for most by
 * results and arguments; then those that calls keep.
 */
static int choose(const struct colouring *c, uint32_t reg)
{
	const struct live_value *value = &c->live.values[reg];
	const struct hints *hints = &c->hints[reg];
	static const uint8_t order[REGALLOC_REGS] = { 5, 4, 3, 2, 1, 0, 6, 7, 8, 9 };

	for (uint8_t i = 0; i < hints->n; i++) {
		const struct hint *hint = &hints->v[i];
		int machine = hint->reg == IR_NONE ? hint->machine : c->to->places[hint->reg].reg;

		if (machine >= 0 && is_free(c->taken[machine], value))
			return machine;
	}
	for (size_t i = 0; i < sizeof(order); i++)
		if (is_free(c->taken[order[i]], value))
			return order[i];
	return -1;
}

static double priority(const struct colouring *c, uint32_t reg)
{
	const struct live_value *value = &c->live.values[reg];
	double length = 1;

	if (reg >= c->first_tiny)
		return 1e30;
	vec_each(range, value)
		length += range->to - range->from;
	return value->weight / length;
}

struct candidate {
	uint32_t reg;
	double priority;
};

static int compare_candidates(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->priority != y->priority)
		return x->priority > y->priority ? -1 : 1;
	return x->reg < y->reg ? -1 : x->reg > y->reg;
}

/* Returns how many registers it had to spill. */
static uint32_t colour_all(struct colouring *c)
{
	__free struct candidate *candidates = base_alloc((c->live.n_values + 1) * sizeof(*candidates));
	uint32_t n = 0, n_spilled = 0;

	for (uint32_t reg = 0; reg < c->live.n_values; reg++)
		if (c->live.values[reg].n && !c->to->places[reg].is_spilled)
			candidates[n++] = (struct candidate){ reg, priority(c, reg) };
	qsort(candidates, n, sizeof(*candidates), compare_candidates);
	for (uint32_t i = 0; i < n; i++) {
		struct regalloc_place *place = &c->to->places[candidates[i].reg];

		place->reg = choose(c, candidates[i].reg);
		if (place->reg >= 0) {
			take(c->taken[place->reg], &c->live.values[candidates[i].reg]);
		} else {
			place->is_spilled = true;
			n_spilled++;
		}
	}
	return n_spilled;
}

/* Spilled registers that are not live at the same time share a place on the stack. */
static void choose_slots(struct colouring *c)
{
	vec(struct taken) slots = {};

	for (uint32_t reg = 0; reg < c->live.n_values; reg++) {
		size_t i = 0;

		if (!c->to->places[reg].is_spilled)
			continue;
		while (i < slots.n && !is_free(slots.v[i].bits, &c->live.values[reg]))
			i++;
		if (i == slots.n)
			vec_push(&slots)->bits = base_alloc(c->words * sizeof(uint64_t));
		take(slots.v[i].bits, &c->live.values[reg]);
		c->to->places[reg].slot = i;
	}
	c->to->n_slots = slots.n;
	vec_each(slot, &slots)
		free(slot->bits);
	free(slots.v);
}

/* --- spilling --- */

struct spiller {
	struct colouring *c;
	struct ir_block out;
};

static bool is_spilled(const struct spiller *s, const struct ir_value *value)
{
	return !value->is_const && value->reg < s->c->live.n_values && s->c->to->places[value->reg].is_spilled;
}

static void add_move(struct spiller *s, const struct ir_insn *near, uint32_t dst, uint32_t from)
{
	*vec_push(&s->out) = (struct ir_insn){ .op = IR_MOVE, .dst = dst, .a = ir_reg(from), .at = near->at };
}

/* Reads the spilled operands of an instruction into registers, but for those that may be on the stack. */
static void reload(struct spiller *s, struct ir_insn *insn)
{
	struct ir_value *uses[2] = { &insn->a, &insn->b }, *all[IR_USES_MAX];
	uint32_t n = ir_uses(insn, all), from[2];

	if (ir_is_call(insn->op) || insn->op == IR_RETURN)
		return;
	n = n > 2 ? 2 : n;
	for (uint32_t i = 0; i < n; i++) {
		from[i] = uses[i]->reg;
		if (!is_spilled(s, uses[i]))
			continue;
		if (i && from[0] == from[1]) {
			*uses[1] = *uses[0];
			continue;
		}
		add_move(s, insn, s->c->legal->ir.n_regs, uses[i]->reg);
		*uses[i] = ir_reg(s->c->legal->ir.n_regs++);
	}
}

static void spill_insn(struct spiller *s, struct ir_insn insn)
{
	uint32_t dst = ir_result(&insn);
	bool to_stack = dst != IR_NONE && is_spilled(s, &(struct ir_value){ .reg = dst });

	if (insn.op == IR_MOVE && (!to_stack || !is_spilled(s, &insn.a))) {
		*vec_push(&s->out) = insn;
		return;
	}
	if (insn.op == IR_ATOMIC && to_stack) {
		/* its operand and its result are one register, which the instruction before it has filled */
		uint32_t both = s->c->legal->ir.n_regs++;

		add_move(s, &insn, both, dst);
		insn.b = ir_reg(both);
		reload(s, &insn);
		insn.dst = both;
	} else {
		reload(s, &insn);
		if (to_stack && !ir_is_call(insn.op))
			insn.dst = s->c->legal->ir.n_regs++;
	}
	*vec_push(&s->out) = insn;
	if (to_stack && !ir_is_call(insn.op))
		add_move(s, &insn, dst, insn.dst);
}

static void spill(struct colouring *c)
{
	struct spiller s = { .c = c };

	vec_each(block, &c->legal->ir.blocks) {
		s.out = (struct ir_block){ .is_cold = block->is_cold };
		vec_each(insn, block)
			spill_insn(&s, *insn);
		free(block->v);
		*block = s.out;
	}
}

/* Of a value that is live at position 0 the last range begins there. */
static void mark_entered(struct colouring *c)
{
	for (uint32_t reg = 0; reg < c->live.n_values; reg++) {
		const struct live_value *value = &c->live.values[reg];

		c->to->places[reg].is_entered = value->n && !value->v[value->n - 1].from;
	}
}

static void make_places(struct colouring *c, uint32_t n_before)
{
	uint32_t n = c->legal->ir.n_regs;

	c->to->places = base_realloc(c->to->places, n + 1, sizeof(*c->to->places));
	for (uint32_t i = 0; i < n; i++) {
		if (i >= n_before)
			c->to->places[i] = (struct regalloc_place){};
		c->to->places[i].reg = -1;
	}
}

/* Returns how many registers it spilled: then it is to be done again. */
static uint32_t colour(struct colouring *c)
{
	uint32_t n_spilled;

	liveness_make(c->legal, &c->live);
	c->words = c->live.n_positions / 64 + 1;
	for (int r = 0; r < REGALLOC_REGS; r++)
		c->taken[r] = base_alloc(c->words * sizeof(uint64_t));
	make_hints(c);
	take_calls(c);
	n_spilled = colour_all(c);
	if (n_spilled)
		spill(c);
	else
		choose_slots(c);
	mark_entered(c);
	for (int r = 0; r < REGALLOC_REGS; r++)
		free(c->taken[r]);
	free(c->hints);
	return n_spilled;
}

void regalloc_make(struct legal *legal, struct regalloc *regalloc)
{
	struct colouring c = { .legal = legal, .to = regalloc, .first_tiny = legal->ir.n_regs };
	uint32_t again = 1, n_before = 0;

	*regalloc = (struct regalloc){};
	while (again) {
		make_places(&c, n_before);
		n_before = legal->ir.n_regs;
		again = colour(&c);
		liveness_release(&c.live);
	}
}

void regalloc_release(struct regalloc *regalloc)
{
	free(regalloc->places);
	*regalloc = (struct regalloc){};
}
