// SPDX-License-Identifier: BSD-2-Clause
/*
 * Replaces copies by what they are copies of. A register that is assigned once has the same value wherever it is read;
 * of one that is assigned several times a copy holds up to the next assignment, which is followed within a block.
 */
#include "fold_part.h"

struct copy {
	uint32_t reg;
	struct ir_value of;
};

struct copies {
	vec(struct copy);
};

/* A value that holds as long as the program runs. */
static bool is_lasting(const struct fold *fold, const struct ir_value *value)
{
	return value->is_const || fold->n_defined[value->reg] == 1;
}

static const struct ir_value *copy_of(const struct copies *copies, uint32_t reg)
{
	vec_each(copy, copies)
		if (copy->reg == reg)
			return &copy->of;
	return NULL;
}

/* A register gets another value: what is known of it, and what is a copy of it, is so no more. */
static void forget(struct copies *copies, uint32_t reg)
{
	size_t n = 0;

	vec_each(copy, copies)
		if (copy->reg != reg && (copy->of.is_const || copy->of.reg != reg))
			copies->v[n++] = *copy;
	copies->n = n;
}

static bool same_value(const struct ir_value *a, const struct ir_value *b)
{
	return a->is_const == b->is_const && (a->is_const ? a->imm == b->imm : a->reg == b->reg);
}

/*
 * A branch keeps its register where that has other values elsewhere: the branch bounds it for the verifier, and before
 * 6.8 the verifier does not see that a spilled value and its copy are the same.
 */
static void replace(struct fold *fold, const struct copies *copies, struct ir_value *use, enum ir_op op,
		    bool needs_register)
{
	const struct ir_value *copy = use->is_const ? NULL : copy_of(copies, use->reg);
	const struct ir_insn *by = fold_origin(fold, use);
	struct ir_value value = *use;

	if (use->is_const)
		return;
	if (by && by->op == IR_CONST)
		value = ir_imm(by->imm);
	else if (by && by->op == IR_MOVE && is_lasting(fold, &by->a))
		value = by->a;
	else if (copy && (copy->is_const || op != IR_BRANCH))
		value = *copy;
	if (same_value(use, &value) || (needs_register && value.is_const))
		return;
	*use = value;
	fold->changed = true;
}

static bool is_memory(enum ir_op op)
{
	return op == IR_LOAD || op == IR_STORE || op == IR_ATOMIC_ADD || op == IR_ATOMIC;
}

/* An address that is a sum: the offset becomes that of the load or store. */
static void fold_address(struct fold *fold, struct ir_insn *insn)
{
	const struct ir_insn *by = fold_origin(fold, &insn->a);
	int64_t offset;

	if (!by || by->op != IR_ADD || by->bits == 32 || !by->b.is_const || by->a.is_const ||
	    !fold_origin(fold, &by->a))
		return;
	offset = (uint64_t)insn->imm + by->b.imm;
	if (offset != (int16_t)offset)
		return;
	insn->imm = offset;
	insn->a = by->a;
	fold->changed = true;
}

static void fold_branch(struct fold *fold, struct ir_insn *insn)
{
	bool same = !insn->a.is_const && same_value(&insn->a, &insn->b) && insn->condition != IR_TEST;

	if (insn->then != insn->otherwise && !same && !(insn->a.is_const && insn->b.is_const))
		return;
	if (insn->then != insn->otherwise && !fold_holds(insn, same ? 0 : insn->a.imm, same ? 0 : insn->b.imm))
		insn->then = insn->otherwise;
	*insn = (struct ir_insn){ .op = IR_JUMP, .dst = IR_NONE, .then = insn->then, .at = insn->at };
	fold->changed = true;
}

/* An extension above the bits that anything reads. */
static void fold_extension(struct fold *fold, struct ir_insn *insn)
{
	uint8_t bits = insn->bits ? insn->bits : 64;

	if (fold->n_bits[insn->dst] > bits)
		return;
	if (insn->op == IR_LOAD && insn->is_signed) {
		insn->is_signed = false;
		fold->changed = true;
	} else if (insn->op == IR_SIGN || insn->op == IR_ZERO) {
		insn->op = IR_MOVE;
		insn->bits = 0;
		fold->changed = true;
	}
}

static void fold_insn(struct fold *fold, const struct copies *copies, struct ir_insn *insn)
{
	struct ir_value *uses[IR_USES_MAX];
	uint32_t n = ir_uses(insn, uses);

	for (uint32_t i = 0; i < n; i++)
		replace(fold, copies, uses[i], insn->op, !i && is_memory(insn->op));
	if (ir_result(insn) != IR_NONE && fold->n_used[insn->dst])
		fold_extension(fold, insn);
	if (is_memory(insn->op))
		fold_address(fold, insn);
	else if (insn->op == IR_BRANCH)
		fold_branch(fold, insn);
	else if (fold_simplify(fold, insn))
		fold->changed = true;
}

void fold_values(struct fold *fold)
{
	struct copies copies = {};

	vec_each(block, &fold->ir->blocks) {
		copies.n = 0;
		vec_each(insn, block) {
			uint32_t dst;

			fold_insn(fold, &copies, insn);
			dst = ir_result(insn);
			if (dst == IR_NONE)
				continue;
			forget(&copies, dst);
			if (insn->op == IR_MOVE && (insn->a.is_const || insn->a.reg != dst))
				*vec_push(&copies) = (struct copy){ dst, insn->a };
			else if (insn->op == IR_CONST)
				*vec_push(&copies) = (struct copy){ dst, ir_imm(insn->imm) };
		}
	}
	free(copies.v);
}
