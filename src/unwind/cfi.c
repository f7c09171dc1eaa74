// SPDX-License-Identifier: BSD-2-Clause
/* Executes call frame instructions (DWARF 5, 6.4.2) and turns each state of the registers into a rule. */
#include <limits.h>

#include "cfi.h"

/* The deepest nesting of DW_CFA_remember_state. Compilers need one or two levels. */
#define REMEMBERED_MAX 16

/* No register has this number. */
#define NO_REGISTER UINT64_MAX

enum { /* DW_CFA_*; the first three have their operand in the low six bits */
	CFA_ADVANCE_LOC = 0x40,
	CFA_OFFSET = 0x80,
	CFA_RESTORE = 0xc0,
	CFA_NOP = 0x00,
	CFA_SET_LOC = 0x01,
	CFA_ADVANCE_LOC1 = 0x02,
	CFA_ADVANCE_LOC2 = 0x03,
	CFA_ADVANCE_LOC4 = 0x04,
	CFA_OFFSET_EXTENDED = 0x05,
	CFA_RESTORE_EXTENDED = 0x06,
	CFA_UNDEFINED = 0x07,
	CFA_SAME_VALUE = 0x08,
	CFA_REGISTER = 0x09,
	CFA_REMEMBER_STATE = 0x0a,
	CFA_RESTORE_STATE = 0x0b,
	CFA_DEF_CFA = 0x0c,
	CFA_DEF_CFA_REGISTER = 0x0d,
	CFA_DEF_CFA_OFFSET = 0x0e,
	CFA_DEF_CFA_EXPRESSION = 0x0f,
	CFA_EXPRESSION = 0x10,
	CFA_OFFSET_EXTENDED_SF = 0x11,
	CFA_DEF_CFA_SF = 0x12,
	CFA_DEF_CFA_OFFSET_SF = 0x13,
	CFA_VAL_OFFSET = 0x14,
	CFA_VAL_OFFSET_SF = 0x15,
	CFA_VAL_EXPRESSION = 0x16,
	CFA_AARCH64_NEGATE_RA_STATE = 0x2d, /* on other architectures DW_CFA_GNU_window_save, which only SPARC uses */
	CFA_GNU_ARGS_SIZE = 0x2e,
};

enum { /* DW_OP_* */
	OP_DEREF = 0x06,
	OP_CONST1U = 0x08,
	OP_AND = 0x1a,
	OP_PLUS = 0x22,
	OP_PLUS_UCONST = 0x23,
	OP_SHL = 0x24,
	OP_GE = 0x2a,
	OP_LIT0 = 0x30,
	OP_LIT31 = 0x4f,
	OP_BREG0 = 0x70,
	OP_BREG31 = 0x8f,
};

/* Where a register of the caller is saved. */
struct saved {
	enum unwind_saved how;
	int64_t offset;
	bool undefined; /* it has no value; if this is the return address, there is no caller */
};

struct state {
	uint64_t cfa_register; /* NO_REGISTER: an expression computes the CFA; `said` is what we understood of it */
	int64_t cfa_offset;    /* kept while an expression is in force: the next instruction may set the register alone */
	struct {
		enum unwind_cfa cfa;
		int64_t offset;
		uint64_t add;
	} said;
	struct saved fp, ra;
};

struct run {
	const struct cfi_machine *machine;
	const struct cfi_cie *cie;
	struct state now, initial;
	struct state remembered[REMEMBERED_MAX];
	size_t n_remembered;
	uint64_t vaddr;
	bool bad;
};

/* --- states to rules --- */

/* Registers are saved at multiples of the word size. */
#define WORD 8

static bool fits(int64_t offset)
{
	return !(offset % WORD) && offset / WORD >= SHRT_MIN && offset / WORD <= SHRT_MAX;
}

static enum unwind_cfa kind_of(const struct cfi_machine *machine, uint64_t number)
{
	return number == machine->sp	    ? UNWIND_CFA_SP
	       : number == machine->fp	    ? UNWIND_CFA_FP
	       : number < machine->n_places ? UNWIND_CFA_REGISTER
					    : UNWIND_CFA_UNKNOWN;
}

/*
 * The state, corrected for arm64: what the PLT pushes before it jumps to ld.so's _dl_runtime_resolve is missing in the
 * CFA of that. So its return address lies above the CFA, where no function saves anything; and the caller's SP is above
 * that.
 */
static struct state corrected(const struct run *run)
{
	struct state state = run->now;
	int64_t above;

	if (!run->machine->has_lr || state.ra.how != UNWIND_AT_CFA || state.ra.offset < 0 || state.ra.offset > INT_MAX ||
	    state.cfa_register == NO_REGISTER || state.cfa_offset > INT_MAX)
		return state;
	above = (state.ra.offset + WORD + 15) / 16 * 16;
	state.cfa_offset += above;
	state.ra.offset -= above;
	if (state.fp.how == UNWIND_AT_CFA && state.fp.offset > INT_MIN)
		state.fp.offset -= above;
	return state;
}

/*
 * arm64 saves registers at the end of a frame that is nearest to the SP. If the frame is so large that a rule has no
 * room for the distance to the CFA, the rule gives that to the SP.
 */
static struct saved from_sp_if_far(struct saved saved, enum unwind_cfa cfa, int64_t cfa_offset)
{
	if (cfa == UNWIND_CFA_SP && saved.how == UNWIND_AT_CFA && !fits(saved.offset) &&
	    !__builtin_add_overflow(saved.offset, cfa_offset, &saved.offset))
		saved.how = UNWIND_AT_SP;
	return saved;
}

/*
 * Returns the state as a rule in its simplest form: members that the rule does not use are 0, so that equal rules
 * have equal bytes.
 */
static struct unwind_rule rule_of(const struct run *run)
{
	struct state state = corrected(run);
	const struct state *now = &state;
	bool expression = now->cfa_register == NO_REGISTER;
	int64_t offset = expression ? now->said.offset : now->cfa_offset;
	uint64_t add = expression ? now->said.add : 0;
	struct unwind_rule rule = { .cfa = expression ? now->said.cfa : kind_of(run->machine, now->cfa_register) };
	struct saved ra = from_sp_if_far(now->ra, rule.cfa, offset), fp = from_sp_if_far(now->fp, rule.cfa, offset);
	bool known = rule.cfa != UNWIND_CFA_UNKNOWN && offset >= INT_MIN && offset <= INT_MAX && add <= UCHAR_MAX &&
		     ra.how != UNWIND_LOST && fits(ra.offset) && (run->machine->has_lr || ra.how != UNWIND_SAME);

	if (now->ra.undefined)
		return (struct unwind_rule){ .cfa = UNWIND_CFA_ROOT };
	if (!known)
		return (struct unwind_rule){ .cfa = UNWIND_CFA_UNKNOWN };
	rule.offset = offset;
	rule.add = rule.cfa == UNWIND_CFA_REGISTER ? run->machine->places[now->cfa_register] : add;
	rule.ra = ra.how;
	rule.ra_offset = ra.offset / WORD;
	rule.fp = fits(fp.offset) ? fp.how : UNWIND_LOST;
	rule.fp_offset = rule.fp == UNWIND_LOST ? 0 : fp.offset / WORD;
	return rule;
}

/* --- expressions --- */

/* Takes DW_OP_bregN of SP or FP, with its offset. */
static bool take_base(const struct run *run, struct cursor *c, bool *fp, int64_t *offset)
{
	uint64_t number = cursor_fixed(c, 1) - OP_BREG0;

	*offset = cursor_sleb(c);
	*fp = number == run->machine->fp;
	return !c->bad && (*fp || number == run->machine->sp);
}

static bool take_op(struct cursor *c, uint8_t op)
{
	return cursor_fixed(c, 1) == op && !c->bad;
}

static bool take_literal(struct cursor *c, uint64_t *value)
{
	uint8_t op = cursor_fixed(c, 1);

	if (op == OP_CONST1U)
		*value = cursor_fixed(c, 1);
	else if (op >= OP_LIT0 && op <= OP_LIT31)
		*value = op - OP_LIT0;
	else
		return false;
	return !c->bad;
}

/* Takes the rest of the expression that linkers write for the PLT: + ((ip & 15) >= add) << 3. */
static bool take_plt(const struct run *run, struct cursor c, uint64_t *add)
{
	uint64_t mask, shift;

	return take_op(&c, OP_BREG0 + run->machine->ra) && !cursor_sleb(&c) && take_literal(&c, &mask) && mask == 15 &&
	       take_op(&c, OP_AND) && take_literal(&c, add) && take_op(&c, OP_GE) && take_literal(&c, &shift) && shift == 3 &&
	       take_op(&c, OP_SHL) && take_op(&c, OP_PLUS) && !cursor_left(&c);
}

/* Takes the rest of: the word stored there, perhaps plus a constant. */
static bool take_deref(struct cursor c, uint64_t *add)
{
	*add = 0;
	if (!take_op(&c, OP_DEREF))
		return false;
	if (!cursor_left(&c))
		return true;
	if (!take_op(&c, OP_PLUS_UCONST))
		return false;
	*add = cursor_uleb(&c);
	return !c.bad && !cursor_left(&c);
}

static void cfa_expression(struct run *run, struct cursor c)
{
	struct state *now = &run->now;
	bool fp;

	now->cfa_register = NO_REGISTER;
	now->said.cfa = UNWIND_CFA_UNKNOWN;
	now->said.add = 0;
	if (!take_base(run, &c, &fp, &now->said.offset))
		return;
	if (!cursor_left(&c))
		now->said.cfa = fp ? UNWIND_CFA_FP : UNWIND_CFA_SP;
	else if (take_deref(c, &now->said.add))
		now->said.cfa = fp ? UNWIND_CFA_FP_DEREF : UNWIND_CFA_SP_DEREF;
	else if (!fp && !run->machine->has_lr && take_plt(run, c, &now->said.add))
		now->said.cfa = UNWIND_CFA_PLT;
}

static struct saved saved_by_expression(const struct run *run, struct cursor c)
{
	struct saved saved = {};
	bool fp;

	if (!take_base(run, &c, &fp, &saved.offset) || cursor_left(&c))
		return (struct saved){ .how = UNWIND_LOST };
	saved.how = fp ? UNWIND_AT_FP : UNWIND_AT_SP;
	return saved;
}

/* --- instructions --- */

/* Returns the place of a register in a state, NULL if no rule uses the register. */
static struct saved *saved_of(const struct run *run, struct state *state, uint64_t number)
{
	return number == run->machine->fp ? &state->fp : number == run->cie->ra ? &state->ra
										: NULL;
}

static void save(struct run *run, uint64_t number, struct saved value)
{
	struct saved *saved = saved_of(run, &run->now, number);

	if (saved)
		*saved = value;
}

static void save_at_cfa(struct run *run, uint64_t number, int64_t factored)
{
	struct saved saved = { .how = UNWIND_AT_CFA };

	if (__builtin_mul_overflow(factored, run->cie->data_align, &saved.offset))
		saved = (struct saved){ .how = UNWIND_LOST };
	save(run, number, saved);
}

static void restore(struct run *run, uint64_t number)
{
	const struct saved *saved = saved_of(run, &run->initial, number);

	if (saved)
		save(run, number, *saved);
}

static void define_cfa(struct run *run, uint64_t number, int64_t offset)
{
	run->now.cfa_register = number;
	run->now.cfa_offset = offset;
}

static int64_t factored(struct run *run, int64_t value)
{
	int64_t offset;

	run->bad |= __builtin_mul_overflow(value, run->cie->data_align, &offset);
	return offset;
}

static void remember(struct run *run)
{
	if (run->n_remembered == REMEMBERED_MAX)
		run->bad = true;
	else
		run->remembered[run->n_remembered++] = run->now;
}

static void recall(struct run *run)
{
	if (!run->n_remembered)
		run->bad = true;
	else
		run->now = run->remembered[--run->n_remembered];
}

/* Runs an instruction that defines the CFA. Returns false if it is another. */
static bool run_cfa(struct run *run, uint8_t op, struct cursor *c)
{
	uint64_t number;

	switch (op) {
	case CFA_DEF_CFA:
		number = cursor_uleb(c);
		define_cfa(run, number, cursor_uleb(c));
		return true;
	case CFA_DEF_CFA_SF:
		number = cursor_uleb(c);
		define_cfa(run, number, factored(run, cursor_sleb(c)));
		return true;
	case CFA_DEF_CFA_REGISTER:
		define_cfa(run, cursor_uleb(c), run->now.cfa_offset);
		return true;
	case CFA_DEF_CFA_OFFSET:
		define_cfa(run, run->now.cfa_register, cursor_uleb(c));
		return true;
	case CFA_DEF_CFA_OFFSET_SF:
		define_cfa(run, run->now.cfa_register, factored(run, cursor_sleb(c)));
		return true;
	case CFA_DEF_CFA_EXPRESSION:
		cfa_expression(run, cursor_take(c, cursor_uleb(c)));
		return true;
	}
	return false;
}

/* Runs an instruction that says where a register is saved. Returns false if it is another. */
static bool run_saved(struct run *run, uint8_t op, struct cursor *c)
{
	uint64_t number = cursor_uleb(c);

	switch (op) {
	case CFA_OFFSET_EXTENDED:
		save_at_cfa(run, number, cursor_uleb(c));
		return true;
	case CFA_OFFSET_EXTENDED_SF:
		save_at_cfa(run, number, cursor_sleb(c));
		return true;
	case CFA_RESTORE_EXTENDED:
		restore(run, number);
		return true;
	case CFA_UNDEFINED:
		save(run, number, (struct saved){ .how = UNWIND_LOST, .undefined = true });
		return true;
	case CFA_SAME_VALUE:
		save(run, number, (struct saved){ .how = UNWIND_SAME });
		return true;
	case CFA_EXPRESSION:
		save(run, number, saved_by_expression(run, cursor_take(c, cursor_uleb(c))));
		return true;
	case CFA_VAL_EXPRESSION:
		cursor_take(c, cursor_uleb(c));
		save(run, number, (struct saved){ .how = UNWIND_LOST });
		return true;
	case CFA_REGISTER:
	case CFA_VAL_OFFSET:
	case CFA_VAL_OFFSET_SF:
		cursor_uleb(c);
		save(run, number, (struct saved){ .how = UNWIND_LOST });
		return true;
	}
	return false;
}

static void run_rare(struct run *run, uint8_t op, struct cursor *c)
{
	switch (op) {
	case CFA_NOP:
	case CFA_AARCH64_NEGATE_RA_STATE: /* the unwinder recognises a signed address by its bits */
		return;
	case CFA_GNU_ARGS_SIZE:
		cursor_uleb(c);
		return;
	case CFA_REMEMBER_STATE:
		remember(run);
		return;
	case CFA_RESTORE_STATE:
		recall(run);
		return;
	}
	if (!run_cfa(run, op, c) && !run_saved(run, op, c))
		run->bad = true;
}

/* Returns true if the instruction advances the address; *to is the new address. */
static bool advances(const struct run *run, uint8_t op, struct cursor *c, uint64_t *to)
{
	uint64_t by;

	switch (op) {
	case CFA_SET_LOC:
		*to = cursor_pointer(c, run->cie->encoding, 0);
		return true;
	case CFA_ADVANCE_LOC1:
		by = cursor_fixed(c, 1);
		break;
	case CFA_ADVANCE_LOC2:
		by = cursor_fixed(c, 2);
		break;
	case CFA_ADVANCE_LOC4:
		by = cursor_fixed(c, 4);
		break;
	default:
		if ((op & 0xc0) != CFA_ADVANCE_LOC)
			return false;
		by = op & 0x3f;
	}
	*to = run->vaddr + by * run->cie->code_align;
	return true;
}

static void run_one(struct run *run, uint8_t op, struct cursor *c)
{
	if ((op & 0xc0) == CFA_OFFSET)
		save_at_cfa(run, op & 0x3f, cursor_uleb(c));
	else if ((op & 0xc0) == CFA_RESTORE)
		restore(run, op & 0x3f);
	else
		run_rare(run, op, c);
	run->bad |= c->bad;
}

static int run_instructions(struct run *run, struct cursor c, uint64_t end, cfi_row_fn row, void *ctx)
{
	while (cursor_left(&c) && !run->bad) {
		uint8_t op = cursor_fixed(&c, 1);
		struct unwind_rule rule;
		uint64_t to;

		if (!advances(run, op, &c, &to)) {
			run_one(run, op, &c);
			continue;
		}
		/*
		 * The address would go backwards, or the CIE's instructions, which belong to no address, would
		 * advance it.
		 */
		if (c.bad || !row || to < run->vaddr)
			return -EBADMSG;
		if (to >= end)
			return 0;
		if (to == run->vaddr)
			continue;
		rule = rule_of(run);
		row(ctx, run->vaddr, &rule);
		run->vaddr = to;
	}
	return run->bad ? -EBADMSG : 0;
}

int cfi_run(const struct cfi_machine *machine, const struct cfi_fde *fde, cfi_row_fn row, void *ctx)
{
	struct run run = {
		.machine = machine,
		.cie = fde->cie,
		.now = { .cfa_register = NO_REGISTER, .said = { .cfa = UNWIND_CFA_UNKNOWN } },
		.vaddr = fde->start,
	};
	struct unwind_rule rule = { .cfa = UNWIND_CFA_UNKNOWN };
	int ret = run_instructions(&run, fde->cie->initial, fde->end, NULL, NULL);

	run.initial = run.now;
	if (!ret)
		ret = run_instructions(&run, fde->instructions, fde->end, row, ctx);
	if (!ret)
		rule = rule_of(&run);
	row(ctx, run.vaddr, &rule);
	return ret;
}
