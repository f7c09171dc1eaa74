// SPDX-License-Identifier: BSD-2-Clause
/* Arithmetic with constants, and operations that leave their operand as it is. Knows single instructions only. */
#include "fold_part.h"
#include "lang/text/operator.h"
#include "legal.h"

/* How far back a value is followed. */
#define DEPTH 6

static uint64_t cut(uint64_t value, uint8_t bits)
{
	return bits && bits < 64 ? value & ((1ULL << bits) - 1) : value;
}

static int64_t extend(uint64_t value, uint8_t bits)
{
	return bits && bits < 64 ? (int64_t)(value << (64 - bits)) >> (64 - bits) : (int64_t)value;
}

static uint64_t compute_binary(enum ir_op op, uint64_t a, uint64_t b, uint8_t bits)
{
	static const enum ast_op ops[] = {
		[IR_ADD] = OP_ADD,
		[IR_SUB] = OP_SUB,
		[IR_MUL] = OP_MUL,
		[IR_DIV] = OP_DIV,
		[IR_MOD] = OP_MOD,
		[IR_SDIV] = OP_DIV,
		[IR_SMOD] = OP_MOD,
		[IR_AND] = OP_AND,
		[IR_OR] = OP_OR,
		[IR_XOR] = OP_XOR,
		[IR_SHL] = OP_SHL,
		[IR_SHR] = OP_SHR,
		[IR_SAR] = OP_SHR,
	};

	if (ops[op] == OP_SHL || ops[op] == OP_SHR)
		b &= bits - 1;
	if (op == IR_SDIV || op == IR_SMOD || op == IR_SAR)
		return operator_compute(ops[op], extend(a, bits), extend(b, bits), true);
	return operator_compute(ops[op], a, b, false);
}

static uint64_t fold_compute(const struct ir_insn *insn, uint64_t a, uint64_t b)
{
	uint8_t bits = insn->bits == 32 ? 32 : 64;

	switch (insn->op) {
	case IR_MOVE:
		return a;
	case IR_NEG:
		return -a;
	case IR_SWAP:
		return __builtin_bswap64(a) >> (insn->bits ? 64 - insn->bits : 0);
	case IR_SIGN:
		return extend(a, insn->bits);
	case IR_ZERO:
		return cut(a, insn->bits);
	default:
		return cut(compute_binary(insn->op, cut(a, bits), cut(b, bits), bits), bits);
	}
}

bool fold_holds(const struct ir_insn *insn, uint64_t a, uint64_t b)
{
	static const enum ast_op ops[] = {
		[IR_EQ] = OP_EQ,
		[IR_NE] = OP_NE,
		[IR_LT] = OP_LT,
		[IR_LE] = OP_LE,
		[IR_GT] = OP_GT,
		[IR_GE] = OP_GE,
		[IR_SLT] = OP_LT,
		[IR_SLE] = OP_LE,
		[IR_SGT] = OP_GT,
		[IR_SGE] = OP_GE,
		[IR_TEST] = OP_AND,
	};
	enum ast_op op = ops[insn->condition];

	if (insn->condition >= IR_SLT && insn->condition <= IR_SGE)
		return operator_compute(op, extend(a, insn->bits), extend(b, insn->bits), true);
	return operator_compute(op, cut(a, insn->bits), cut(b, insn->bits), false);
}

/* --- how many of the lower bits of a value can be set --- */

static uint32_t width(const struct fold *fold, const struct ir_value *value, int depth);

static uint32_t constant_width(uint64_t value)
{
	return value ? 64 - __builtin_clzll(value) : 0;
}

static uint32_t lesser(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static uint32_t greater(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

static uint32_t binary_width(const struct fold *fold, const struct ir_insn *insn, int depth)
{
	uint32_t most = insn->bits == 32 ? 32 : 64;
	uint32_t a = lesser(width(fold, &insn->a, depth), most), b = lesser(width(fold, &insn->b, depth), most);

	switch (insn->op) {
	case IR_ADD:
		return lesser(greater(a, b) + 1, most);
	case IR_MUL:
		return lesser(a + b, most);
	case IR_AND:
		return lesser(a, b);
	case IR_OR:
	case IR_XOR:
		return greater(a, b);
	case IR_DIV:
	case IR_MOD:
		return a;
	case IR_SHR:
		if (insn->b.is_const)
			return a > (insn->b.imm & (most - 1)) ? a - (insn->b.imm & (most - 1)) : 0;
		return a;
	case IR_SHL:
		return insn->b.is_const ? lesser(a + (insn->b.imm & (most - 1)), most) : most;
	default:
		return most;
	}
}

static uint32_t width(const struct fold *fold, const struct ir_value *value, int depth)
{
	const struct ir_insn *by;

	if (value->is_const)
		return constant_width(value->imm);
	by = fold_origin(fold, value);
	if (!by || !depth)
		return 64;
	switch (by->op) {
	case IR_ADD ... IR_SAR:
		return binary_width(fold, by, depth - 1);
	case IR_MOVE:
		return width(fold, &by->a, depth - 1);
	case IR_ZERO:
		return lesser(by->bits ? by->bits : 64, width(fold, &by->a, depth - 1));
	case IR_CONST:
		return constant_width(by->imm);
	case IR_SWAP:
		return by->bits ? by->bits : 64;
	case IR_LOAD:
		return by->is_signed || !by->bits ? 64 : by->bits;
	default:
		return 64;
	}
}

/* --- simpler operations --- */

static bool become_move(struct ir_insn *insn, struct ir_value value)
{
	*insn = (struct ir_insn){ .op = IR_MOVE, .dst = insn->dst, .a = value, .at = insn->at };
	return true;
}

/* The result is the operand, of which an operation of 32 bits keeps the lower half. */
static bool become_operand(const struct fold *fold, struct ir_insn *insn, struct ir_value value)
{
	if (insn->bits != 32 || width(fold, &value, DEPTH) <= 32)
		return become_move(insn, value);
	*insn = (struct ir_insn){ .op = IR_ZERO, .bits = 32, .dst = insn->dst, .a = value, .at = insn->at };
	return true;
}

static bool become(struct ir_insn *insn, enum ir_op op, int64_t b)
{
	insn->op = op;
	insn->b = ir_imm(b);
	return true;
}

static bool simplify_divide(const struct fold *fold, struct ir_insn *insn, uint64_t b)
{
	bool power = b && !(b & (b - 1));

	switch (insn->op) {
	case IR_DIV:
		return b == 1 ? become_operand(fold, insn, insn->a) : power && become(insn, IR_SHR, __builtin_ctzll(b));
	case IR_MOD:
		return power && become(insn, IR_AND, b - 1);
	case IR_SDIV:
	case IR_SMOD:
		/* both are positive: without signs it is shorter */
		if (b && !(b >> 31) && width(fold, &insn->a, DEPTH) < (insn->bits == 32 ? 32 : 64))
			return become(insn, insn->op == IR_SDIV ? IR_DIV : IR_MOD, b);
		return b == 1 && insn->op == IR_SDIV && become_operand(fold, insn, insn->a);
	default:
		return false;
	}
}

/* An operation whose second operand is a constant. */
static bool simplify_constant(const struct fold *fold, struct ir_insn *insn)
{
	uint8_t bits = insn->bits == 32 ? 32 : 64;
	uint64_t b = cut(insn->b.imm, bits), all = cut(-1ULL, bits);

	switch (insn->op) {
	case IR_ADD:
	case IR_SUB:
	case IR_OR:
	case IR_XOR:
		return !b && become_operand(fold, insn, insn->a);
	case IR_SHL:
	case IR_SHR:
	case IR_SAR:
		return !(b & (bits - 1)) && become_operand(fold, insn, insn->a);
	case IR_MUL:
		if (!b)
			return become_move(insn, ir_imm(0));
		if (b == 1)
			return become_operand(fold, insn, insn->a);
		return !(b & (b - 1)) && become(insn, IR_SHL, __builtin_ctzll(b));
	case IR_AND:
		if (!b)
			return become_move(insn, ir_imm(0));
		/* a mask that takes nothing away; but the verifier may need it, if it cannot see that */
		return b == all && become_operand(fold, insn, insn->a);
	default:
		return simplify_divide(fold, insn, b);
	}
}

/* (x + c) + d: x + (c + d); an object or data with an offset. */
static bool simplify_sum(const struct fold *fold, struct ir_insn *insn)
{
	const struct ir_insn *by = fold_origin(fold, &insn->a);

	if (insn->op != IR_ADD || insn->bits == 32 || !insn->b.is_const || !by)
		return false;
	if (by->op == IR_OBJECT || by->op == IR_DATA) {
		uint32_t dst = insn->dst;
		int64_t offset = by->imm + insn->b.imm;
		struct span at = insn->at;

		if (offset < 0 || offset > INT32_MAX)
			return false;
		*insn = *by;
		insn->dst = dst;
		insn->imm = offset;
		insn->at = at;
		return true;
	}
	if (by->op != IR_ADD || by->bits == 32 || !by->b.is_const || by->a.is_const || !fold_origin(fold, &by->a))
		return false;
	insn->a = by->a;
	insn->b = ir_imm((uint64_t)insn->b.imm + by->b.imm);
	return true;
}

static bool simplify_extension(const struct fold *fold, struct ir_insn *insn)
{
	uint32_t bits = insn->bits ? insn->bits : 64, has = width(fold, &insn->a, DEPTH);

	if (bits == 64 || (insn->op == IR_ZERO ? has <= bits : has < bits))
		return become_move(insn, insn->a);
	return false;
}

bool fold_simplify(const struct fold *fold, struct ir_insn *insn)
{
	if (insn->op > IR_ZERO || insn->op == IR_MOVE)
		return false;
	if (insn->a.is_const && (insn->op >= IR_MOVE || insn->b.is_const))
		return become_move(insn, ir_imm(fold_compute(insn, insn->a.imm, insn->op < IR_MOVE ? insn->b.imm : 0)));
	if (insn->op == IR_ZERO || insn->op == IR_SIGN)
		return simplify_extension(fold, insn);
	if (insn->op >= IR_MOVE)
		return false;
	if (insn->a.is_const && legal_commutes(insn->op)) {
		struct ir_value a = insn->a;

		insn->a = insn->b;
		insn->b = a;
		return true;
	}
	if (insn->b.is_const && simplify_constant(fold, insn))
		return true;
	return simplify_sum(fold, insn);
}
