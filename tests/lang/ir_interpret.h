/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs three-address code as ir.h says what it means, without a thought of registers, so that a fault of the emitter
 * shows. Addresses are the process's own.
 */
#ifndef SONDE_TESTS_LANG_IR_INTERPRET_H
#define SONDE_TESTS_LANG_IR_INTERPRET_H

#include "lang/code/ir.h"

struct ir_machine {
	const struct ir_program *program;
	uint8_t *data[LANG_DATAS];
	uint64_t context;
	uint64_t steps; /* how many more operations it may run */
	/* Helpers and functions of the library; NULL: they return 0. */
	uint64_t (*call)(enum ir_op op, uint32_t index, const uint64_t *args, uint32_t n);
};

static inline uint64_t ir_bits(uint64_t value, uint8_t bits)
{
	return bits && bits < 64 ? value & ((1ULL << bits) - 1) : value;
}

static inline int64_t ir_signed(uint64_t value, uint8_t bits)
{
	return bits && bits < 64 ? (int64_t)(value << (64 - bits)) >> (64 - bits) : (int64_t)value;
}

/* Without what C leaves undefined. */
static inline uint64_t ir_divide_signed(int64_t a, int64_t b, bool mod)
{
	if (!b)
		return mod ? (uint64_t)a : 0;
	if (b == -1)
		return mod ? 0 : -(uint64_t)a;
	return mod ? a % b : a / b;
}

static inline uint64_t ir_compute(const struct ir_insn *insn, uint64_t a, uint64_t b)
{
	uint8_t bits = insn->bits == 32 ? 32 : 64;
	uint64_t ua = ir_bits(a, bits), ub = ir_bits(b, bits), shift = b & (bits - 1);

	switch (insn->op) {
	case IR_ADD:
		return ir_bits(a + b, bits);
	case IR_SUB:
		return ir_bits(a - b, bits);
	case IR_MUL:
		return ir_bits(a * b, bits);
	case IR_DIV:
		return ub ? ua / ub : 0;
	case IR_MOD:
		return ub ? ua % ub : ua;
	case IR_SDIV:
	case IR_SMOD:
		return ir_bits(ir_divide_signed(ir_signed(a, bits), ir_signed(b, bits), insn->op == IR_SMOD), bits);
	case IR_AND:
		return ua & ub;
	case IR_OR:
		return ua | ub;
	case IR_XOR:
		return ua ^ ub;
	case IR_SHL:
		return ir_bits(ua << shift, bits);
	case IR_SHR:
		return ua >> shift;
	case IR_SAR:
		return ir_bits(ir_signed(a, bits) >> shift, bits);
	case IR_NEG:
		return -a;
	case IR_SWAP:
		return __builtin_bswap64(a) >> (insn->bits ? 64 - insn->bits : 0);
	case IR_SIGN:
		return ir_signed(a, insn->bits);
	case IR_ZERO:
		return ir_bits(a, insn->bits);
	default:
		return a;
	}
}

static inline bool ir_holds(const struct ir_insn *insn, uint64_t a, uint64_t b)
{
	uint64_t ua = ir_bits(a, insn->bits), ub = ir_bits(b, insn->bits);
	int64_t sa = ir_signed(a, insn->bits), sb = ir_signed(b, insn->bits);

	switch (insn->condition) {
	case IR_EQ:
		return ua == ub;
	case IR_NE:
		return ua != ub;
	case IR_LT:
		return ua < ub;
	case IR_LE:
		return ua <= ub;
	case IR_GT:
		return ua > ub;
	case IR_GE:
		return ua >= ub;
	case IR_SLT:
		return sa < sb;
	case IR_SLE:
		return sa <= sb;
	case IR_SGT:
		return sa > sb;
	case IR_SGE:
		return sa >= sb;
	default:
		return ua & ub;
	}
}

static inline uint64_t ir_load_at(const struct ir_insn *insn, uint64_t address)
{
	uint64_t value = 0;

	memcpy(&value, (void *)address, insn->bits ? insn->bits / 8 : 8);
	return insn->is_signed ? (uint64_t)ir_signed(value, insn->bits) : value;
}

static inline uint64_t ir_run(struct ir_machine *m, uint32_t number, const uint64_t *params);

/* Where the objects of a function are in its frame. */
static inline uint8_t *ir_object_at(const struct ir_function *f, uint8_t *frame, uint32_t number)
{
	for (uint32_t i = 0; i < number; i++)
		frame += (f->objects.v[i].size + 7) / 8 * 8;
	return frame;
}

static inline uint64_t ir_call_out(struct ir_machine *m, const struct ir_insn *insn, const uint64_t *args)
{
	if (insn->op == IR_CALL)
		return ir_run(m, insn->index, args);
	return m->call ? m->call(insn->op, insn->index, args, insn->n_args) : 0;
}

static inline uint64_t ir_address_of(struct ir_machine *m, const struct ir_function *f, uint8_t *frame,
				     const struct ir_insn *insn)
{
	switch (insn->op) {
	case IR_OBJECT:
		return (uint64_t)ir_object_at(f, frame, insn->index) + insn->imm;
	case IR_DATA:
		return (uint64_t)m->data[insn->index] + insn->imm;
	case IR_CONTEXT:
		return m->context;
	default:
		return insn->imm;
	}
}

static inline uint64_t ir_run_insn(struct ir_machine *m, const struct ir_function *f, uint8_t *frame, uint64_t *regs,
				   struct ir_insn *insn)
{
	struct ir_value *uses[IR_USES_MAX];
	uint64_t v[IR_USES_MAX] = {}, old;
	uint32_t n = ir_uses(insn, uses);

	for (uint32_t i = 0; i < n; i++)
		v[i] = uses[i]->is_const ? (uint64_t)uses[i]->imm : regs[uses[i]->reg];
	switch (insn->op) {
	case IR_ADD ... IR_ZERO:
		return ir_compute(insn, v[0], v[1]);
	case IR_CONST ... IR_CONTEXT:
		return ir_address_of(m, f, frame, insn);
	case IR_LOAD:
		return ir_load_at(insn, v[0] + insn->imm);
	case IR_STORE:
		memcpy((void *)(v[0] + insn->imm), &v[1], insn->bits ? insn->bits / 8 : 8);
		return 0;
	case IR_ATOMIC_ADD:
	case IR_ATOMIC:
		old = ir_load_at(insn, v[0] + insn->imm);
		v[1] += old;
		memcpy((void *)(v[0] + insn->imm), &v[1], insn->bits ? insn->bits / 8 : 8);
		return old;
	case IR_HELPER ... IR_CALL:
		return ir_call_out(m, insn, v);
	case IR_BRANCH:
		return ir_holds(insn, v[0], v[1]);
	default:
		return v[0];
	}
}

/* Runs a function; ends early when no steps are left. */
static inline uint64_t ir_run(struct ir_machine *m, uint32_t number, const uint64_t *params)
{
	const struct ir_function *f = &m->program->functions.v[number];
	__free uint64_t *regs = base_alloc((f->n_regs + 1) * sizeof(*regs));
	__free uint8_t *frame = base_alloc(4096);
	uint32_t block = 0;

	for (uint32_t i = 0; i < f->n_params && params; i++)
		regs[i] = params[i];
	for (;;) {
		uint32_t next = block;

		vec_each(insn, &f->blocks.v[block]) {
			uint64_t value = ir_run_insn(m, f, frame, regs, insn);

			if (ir_result(insn) != IR_NONE)
				regs[insn->dst] = value;
			if (insn->op == IR_RETURN || !m->steps || !m->steps--)
				return value;
			if (insn->op == IR_JUMP || insn->op == IR_BRANCH)
				next = insn->op == IR_JUMP || value ? insn->then : insn->otherwise;
		}
		block = next;
	}
}

#endif
