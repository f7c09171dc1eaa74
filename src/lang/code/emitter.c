// SPDX-License-Identifier: BSD-2-Clause
/*
 * Writes the instructions of operations. Knows BPF's encoding; legal.c has made sure that each operation has an
 * instruction, and regalloc.c where values are.
 */
#include <linux/bpf.h>

#include "emit_part.h"

/* --- single instructions --- */

static struct bpf_insn *put(struct emitter *e, struct bpf_insn insn)
{
	struct bpf_insn *to = vec_push(&e->code->insns);

	*to = insn;
	return to;
}

static void relocate(struct emitter *e, enum lang_relocation_kind kind, uint32_t index, uint32_t offset)
{
	*vec_push(&e->code->relocations) = (struct lang_relocation){ e->code->insns.n, kind, index, offset };
}

static void put_load64(struct emitter *e, int reg, uint64_t value)
{
	put(e, (struct bpf_insn){ .code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = reg, .imm = (uint32_t)value });
	put(e, (struct bpf_insn){ .imm = value >> 32 });
}

static void put_move(struct emitter *e, int to, int from)
{
	if (to != from)
		put(e, (struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = to, .src_reg = from });
}

/* The numbers of patch sites begin so, in instructions of two kinds (bpf/patch.h); attach would take ours for one. */
#define PATCH_OPERANDS 0x736f
#define PATCH_LOADS    0x736f6e64

static void put_constant(struct emitter *e, int reg, int64_t value)
{
	if (value >> 16 == PATCH_OPERANDS) {
		put_constant(e, reg, ~value);
		put(e, (struct bpf_insn){ .code = BPF_ALU64 | BPF_XOR | BPF_K, .dst_reg = reg, .imm = -1 });
	} else if (value == (uint32_t)value && value >> 31) {
		put(e, (struct bpf_insn){ .code = BPF_ALU | BPF_MOV | BPF_K, .dst_reg = reg, .imm = value });
	} else if (value == (int32_t)value) {
		put(e, (struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = reg, .imm = value });
	} else if (value >> 32 == PATCH_LOADS) {
		put_load64(e, reg, ~value);
		put(e, (struct bpf_insn){ .code = BPF_ALU64 | BPF_XOR | BPF_K, .dst_reg = reg, .imm = -1 });
	} else {
		put_load64(e, reg, value);
	}
}

static void put_frame_address(struct emitter *e, int reg, int32_t offset)
{
	put_move(e, reg, BPF_REG_10);
	put(e, (struct bpf_insn){ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = reg, .imm = offset });
}

static int32_t slot_at(const struct emitter *e, uint32_t reg)
{
	return -(int32_t)(e->frame - e->regs.places[reg].slot * 8);
}

static bool is_spilled(const struct emitter *e, uint32_t reg)
{
	return e->regs.places[reg].is_spilled;
}

static int machine(const struct emitter *e, uint32_t reg)
{
	return e->regs.places[reg].reg;
}

static void put_reload(struct emitter *e, int to, uint32_t reg)
{
	put(e, (struct bpf_insn){
		       .code = BPF_LDX | BPF_MEM | BPF_DW,
		       .dst_reg = to,
		       .src_reg = BPF_REG_10,
		       .off = slot_at(e, reg),
	       });
}

static void put_spill(struct emitter *e, uint32_t reg, int from)
{
	put(e, (struct bpf_insn){
		       .code = BPF_STX | BPF_MEM | BPF_DW,
		       .dst_reg = BPF_REG_10,
		       .src_reg = from,
		       .off = slot_at(e, reg),
	       });
}

/* Makes a constant or an address. */
static void put_made(struct emitter *e, int reg, const struct ir_insn *insn)
{
	switch (insn->op) {
	case IR_CONST:
		put_constant(e, reg, insn->imm);
		return;
	case IR_OBJECT:
		put_frame_address(e, reg, e->object_at[insn->index] + insn->imm);
		return;
	case IR_MAP:
		relocate(e, RELOCATE_MAP, insn->index, 0);
		break;
	case IR_DATA:
		relocate(e, RELOCATE_DATA, insn->index, insn->imm);
		break;
	case IR_RING:
		relocate(e, RELOCATE_RING, 0, 0);
		break;
	case IR_FUNCTION:
		relocate(e, RELOCATE_LOCAL_ADDRESS, e->numbers[insn->index], 0);
		break;
	default: /* IR_PATCH */
		put_load64(e, reg, insn->imm);
		return;
	}
	put_load64(e, reg, 0);
}

/* Puts a value into a machine register. */
static void put_value(struct emitter *e, int reg, const struct ir_value *value)
{
	const struct ir_insn *origin;

	if (value->is_const) {
		put_constant(e, reg, value->imm);
		return;
	}
	origin = legal_origin(&e->legal, value->reg);
	if (origin)
		put_made(e, reg, origin);
	else if (is_spilled(e, value->reg))
		put_reload(e, reg, value->reg);
	else
		put_move(e, reg, machine(e, value->reg));
}

/* --- moves that happen at once --- */

struct moves {
	struct {
		int8_t to, from;
	} v[5];
	uint8_t n;
};

static bool is_read(const struct moves *moves, int reg)
{
	for (uint8_t i = 0; i < moves->n; i++)
		if (moves->v[i].from == reg)
			return true;
	return false;
}

/* Carries out a move whose target no other one still has to read. False: there is none. */
static bool put_one_move(struct emitter *e, struct moves *moves)
{
	for (uint8_t i = 0; i < moves->n; i++) {
		int to = moves->v[i].to, from = moves->v[i].from;

		moves->v[i].from = -1;
		if (to != from && is_read(moves, to)) {
			moves->v[i].from = from;
			continue;
		}
		put_move(e, to, from);
		moves->v[i] = moves->v[--moves->n];
		return true;
	}
	return false;
}

/* spare: a register that nothing needs. */
static void put_moves(struct emitter *e, struct moves *moves, int spare)
{
	while (moves->n) {
		if (put_one_move(e, moves))
			continue;
		/* all that are left form rings: one value steps aside */
		put_move(e, spare, moves->v[0].from);
		for (uint8_t i = 1; i < moves->n; i++)
			if (moves->v[i].from == moves->v[0].from)
				moves->v[i].from = spare;
		moves->v[0].from = spare;
	}
}

/* --- operations --- */

static uint8_t size_of(uint8_t bits)
{
	return bits == 8 ? BPF_B : bits == 16 ? BPF_H
			   : bits == 32	      ? BPF_W
					      : BPF_DW;
}

static void put_bound(struct emitter *e, uint8_t code, uint8_t reg, uint32_t bound)
{
	put(e, (struct bpf_insn){ .code = BPF_JMP | code | BPF_K, .dst_reg = reg, .off = 1, .imm = bound });
	put(e, (struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = reg, .imm = bound });
}

static void put_binary(struct emitter *e, const struct ir_insn *insn)
{
	static const uint8_t codes[] = {
		[IR_ADD] = BPF_ADD,
		[IR_SUB] = BPF_SUB,
		[IR_MUL] = BPF_MUL,
		[IR_DIV] = BPF_DIV,
		[IR_MOD] = BPF_MOD,
		[IR_AND] = BPF_AND,
		[IR_OR] = BPF_OR,
		[IR_XOR] = BPF_XOR,
		[IR_SHL] = BPF_LSH,
		[IR_SHR] = BPF_RSH,
		[IR_SAR] = BPF_ARSH,
	};
	struct bpf_insn op = { .code = (insn->bits == 32 ? BPF_ALU : BPF_ALU64) | codes[insn->op] };
	const struct ir_value *a = &insn->a, *b = &insn->b;
	int dst = machine(e, insn->dst);

	if (!b->is_const && machine(e, b->reg) == dst && machine(e, a->reg) != dst) {
		/* only where they can change places: else the result has another register */
		a = &insn->b;
		b = &insn->a;
	}
	put_value(e, dst, a);
	if (!a->is_const && a->imm)
		put_bound(e, BPF_JLE, dst, a->imm >> 32);
	if (!b->is_const && b->imm)
		put_bound(e, BPF_JLE, machine(e, b->reg), b->imm >> 32);
	op.dst_reg = dst;
	op.code |= b->is_const ? BPF_K : BPF_X;
	op.imm = b->is_const ? b->imm : 0;
	op.src_reg = b->is_const ? 0 : machine(e, b->reg);
	put(e, op);
}

static void put_unary(struct emitter *e, const struct ir_insn *insn)
{
	int dst = machine(e, insn->dst), bits = insn->bits ? insn->bits : 64;

	switch (insn->op) {
	case IR_NEG:
		put_value(e, dst, &insn->a);
		put(e, (struct bpf_insn){ .code = BPF_ALU64 | BPF_NEG, .dst_reg = dst });
		break;
	case IR_SWAP:
		put_value(e, dst, &insn->a);
		put(e, (struct bpf_insn){ .code = BPF_ALU | BPF_END | BPF_TO_BE, .dst_reg = dst, .imm = bits });
		break;
	default: /* IR_ZERO of 32 bits: others are masks */
		put(e, (struct bpf_insn){
			       .code = BPF_ALU | BPF_MOV | BPF_X,
			       .dst_reg = dst,
			       .src_reg = machine(e, insn->a.reg),
		       });
	}
}
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "BPF_TO_BE swaps bytes");

static void put_ir_move(struct emitter *e, const struct ir_insn *insn)
{
	if (is_spilled(e, insn->dst))
		put_spill(e, insn->dst, machine(e, insn->a.reg));
	else
		put_value(e, machine(e, insn->dst), &insn->a);
}

/* The register and offset of an address. */
static int address(const struct emitter *e, const struct ir_insn *insn, int16_t *offset)
{
	const struct ir_insn *origin = legal_origin(&e->legal, insn->a.reg);

	*offset = insn->imm;
	if (!origin)
		return machine(e, insn->a.reg);
	*offset += e->object_at[origin->index] + origin->imm;
	return BPF_REG_10;
}

static void put_memory(struct emitter *e, const struct ir_insn *insn)
{
	struct bpf_insn to = { .code = size_of(insn->bits) };
	int base = address(e, insn, &to.off);

	to.dst_reg = base;
	switch (insn->op) {
	case IR_LOAD:
		to.code |= BPF_LDX | BPF_MEM;
		to.src_reg = base;
		to.dst_reg = machine(e, insn->dst);
		break;
	case IR_STORE:
		to.code |= BPF_MEM | (insn->b.is_const ? BPF_ST : BPF_STX);
		to.imm = insn->b.is_const ? insn->b.imm : 0;
		to.src_reg = insn->b.is_const ? 0 : machine(e, insn->b.reg);
		break;
	default:
		to.code |= BPF_STX | BPF_ATOMIC;
		to.imm = insn->op == IR_ATOMIC ? insn->index : BPF_ADD;
		to.src_reg = machine(e, insn->b.reg);
	}
	put(e, to);
}

static void put_arguments(struct emitter *e, const struct ir_insn *insn)
{
	struct moves moves = {};

	for (uint8_t i = 0; i < insn->n_args; i++) {
		const struct ir_value *arg = &insn->args[i];

		if (arg->is_const || legal_origin(&e->legal, arg->reg) || is_spilled(e, arg->reg))
			continue;
		moves.v[moves.n].to = BPF_REG_1 + i;
		moves.v[moves.n++].from = machine(e, arg->reg);
	}
	put_moves(e, &moves, BPF_REG_0);
	for (uint8_t i = 0; i < insn->n_args; i++) {
		const struct ir_value *arg = &insn->args[i];

		if (arg->is_const || legal_origin(&e->legal, arg->reg) || is_spilled(e, arg->reg))
			put_value(e, BPF_REG_1 + i, arg);
		if (arg->is_const || !arg->imm)
			continue;
		put_bound(e, BPF_JLE, BPF_REG_1 + i, arg->imm >> 32);
		if ((uint32_t)arg->imm)
			put_bound(e, BPF_JGE, BPF_REG_1 + i, arg->imm);
	}
}

static void put_call(struct emitter *e, const struct ir_insn *insn)
{
	struct bpf_insn call = { .code = BPF_JMP | BPF_CALL };

	put_arguments(e, insn);
	if (insn->op == IR_HELPER) {
		call.imm = insn->index;
	} else {
		call.src_reg = BPF_PSEUDO_CALL;
		if (insn->op == IR_LIBRARY)
			relocate(e, RELOCATE_LIBRARY, insn->index, 0);
		else
			relocate(e, RELOCATE_LOCAL, e->numbers[insn->index], 0);
	}
	put(e, call);
	if (insn->dst == IR_NONE)
		return;
	if (is_spilled(e, insn->dst))
		put_spill(e, insn->dst, BPF_REG_0);
	else
		put_move(e, machine(e, insn->dst), BPF_REG_0);
}

/* --- jumps --- */

static void put_jump(struct emitter *e, uint32_t block, uint32_t next)
{
	if (block == next)
		return;
	*vec_push(&e->jumps) = (struct jump){ e->code->insns.n, block };
	put(e, (struct bpf_insn){ .code = BPF_JMP | BPF_JA });
}

static const uint8_t condition_codes[] = {
	[IR_EQ] = BPF_JEQ,
	[IR_NE] = BPF_JNE,
	[IR_LT] = BPF_JLT,
	[IR_LE] = BPF_JLE,
	[IR_GT] = BPF_JGT,
	[IR_GE] = BPF_JGE,
	[IR_SLT] = BPF_JSLT,
	[IR_SLE] = BPF_JSLE,
	[IR_SGT] = BPF_JSGT,
	[IR_SGE] = BPF_JSGE,
	[IR_TEST] = BPF_JSET,
};

static enum ir_condition inverted(enum ir_condition condition)
{
	static const enum ir_condition of[] = {
		[IR_EQ] = IR_NE,
		[IR_NE] = IR_EQ,
		[IR_LT] = IR_GE,
		[IR_LE] = IR_GT,
		[IR_GT] = IR_LE,
		[IR_GE] = IR_LT,
		[IR_SLT] = IR_SGE,
		[IR_SLE] = IR_SGT,
		[IR_SGT] = IR_SLE,
		[IR_SGE] = IR_SLT,
	};

	return of[condition];
}

static void put_branch(struct emitter *e, const struct ir_insn *insn, uint32_t next)
{
	/* no jump tests that no bit is set */
	bool invert = insn->then == next && insn->condition != IR_TEST;
	enum ir_condition condition = invert ? inverted(insn->condition) : insn->condition;
	uint32_t to = invert ? insn->otherwise : insn->then;

	*vec_push(&e->jumps) = (struct jump){ e->code->insns.n, to };
	put(e, (struct bpf_insn){
		       .code = (insn->bits == 32 ? BPF_JMP32 : BPF_JMP) | condition_codes[condition] |
			       (insn->b.is_const ? BPF_K : BPF_X),
		       .dst_reg = machine(e, insn->a.reg),
		       .src_reg = insn->b.is_const ? 0 : machine(e, insn->b.reg),
		       .imm = insn->b.is_const ? insn->b.imm : 0,
	       });
	put_jump(e, invert ? insn->then : insn->otherwise, next);
}

void emitter_add(struct emitter *e, const struct ir_insn *insn, uint32_t next)
{
	switch (insn->op) {
	case IR_MOVE:
		put_ir_move(e, insn);
		break;
	case IR_ADD ... IR_SAR:
		put_binary(e, insn);
		break;
	case IR_NEG ... IR_ZERO:
		put_unary(e, insn);
		break;
	case IR_CONST ... IR_CONTEXT:
		put_made(e, machine(e, insn->dst), insn);
		break;
	case IR_LOAD ... IR_ATOMIC:
		put_memory(e, insn);
		break;
	case IR_HELPER ... IR_CALL:
		put_call(e, insn);
		break;
	case IR_JUMP:
		put_jump(e, insn->then, next);
		break;
	case IR_BRANCH:
		put_branch(e, insn, next);
		break;
	default: /* IR_RETURN */
		put_value(e, BPF_REG_0, &insn->a);
		put(e, (struct bpf_insn){ .code = BPF_JMP | BPF_EXIT });
	}
}

/* --- the entry --- */

/* A register that is no parameter's, neither before the moves nor after them. */
static int spare_register(const struct moves *moves)
{
	uint32_t used = 0;
	int reg = 0;

	for (uint8_t i = 0; i < moves->n; i++)
		used |= 1U << moves->v[i].to | 1U << moves->v[i].from;
	while (used >> reg & 1)
		reg++;
	return reg;
}

void emitter_add_entry(struct emitter *e)
{
	uint32_t n = e->legal.ir.n_params, first = 0;
	struct moves moves = {};

	if (!n && e->legal.context != IR_NONE) {
		first = e->legal.context;
		n = 1;
	}
	for (uint32_t i = 0; i < n; i++) {
		if (!e->regs.places[first + i].is_entered)
			continue;
		if (is_spilled(e, first + i)) {
			put_spill(e, first + i, BPF_REG_1 + i);
		} else {
			moves.v[moves.n].to = machine(e, first + i);
			moves.v[moves.n++].from = BPF_REG_1 + i;
		}
	}
	put_moves(e, &moves, spare_register(&moves));
}
