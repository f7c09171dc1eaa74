/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes random programs of three-address code that every kernel's verifier accepts. They read numbers from
 * .data.cells, calculate, branch, loop, call functions, and write results there.
 */
#ifndef SONDE_TESTS_LANG_IR_RANDOM_H
#define SONDE_TESTS_LANG_IR_RANDOM_H

#include "lang/code/ir.h"

#define RANDOM_INPUTS	  16  /* words at the begin of .data.cells */
#define RANDOM_RESULTS	  112 /* words behind them */
#define RANDOM_CELLS_SIZE ((RANDOM_INPUTS + RANDOM_RESULTS) * 8)

struct random_ir {
	uint64_t state;
	struct ir_builder b;
	uint32_t vars[24]; /* registers with numbers; all are assigned */
	uint32_t n_vars;
	struct ir_value cells, object;
	uint32_t n_results;
	uint32_t depth; /* of branches and loops */
};

/* xorshift64* */
static inline uint64_t random_next(struct random_ir *r)
{
	r->state ^= r->state >> 12;
	r->state ^= r->state << 25;
	r->state ^= r->state >> 27;
	return r->state * 0x2545f4914f6cdd1dULL;
}

static inline uint32_t random_below(struct random_ir *r, uint32_t n)
{
	return (random_next(r) >> 32) % n;
}

/* Numbers at which arithmetic goes wrong are likely. */
static inline uint64_t random_number(struct random_ir *r)
{
	static const uint64_t odd[] = {
		0, 1, 2, 3, 7, 8, 10, 31, 32, 33, 63, 64, 127, 128, 255, 256, 1000, 0x7fff, 0x8000, 0xffff,
		0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, 0x736f526f, 0x736f6e6465486f77,
		0x7fffffffffffffff, 0x8000000000000000, -1ULL, -2ULL, -3ULL, -128ULL, -32768ULL,
		-2147483648ULL, -2147483649ULL
	};

	switch (random_below(r, 4)) {
	case 0:
		return random_next(r);
	case 1:
		return random_next(r) >> random_below(r, 64);
	default:
		return odd[random_below(r, ARRAY_SIZE(odd))];
	}
}

static inline struct ir_value random_value(struct random_ir *r)
{
	if (!random_below(r, 3))
		return ir_imm(random_number(r));
	return ir_reg(r->vars[random_below(r, r->n_vars)]);
}

/* A register for a result: a new one, or one that holds something already. */
static inline uint32_t random_target(struct random_ir *r)
{
	uint32_t reg;

	if (r->depth || r->n_vars == ARRAY_SIZE(r->vars) || random_below(r, 2))
		return r->vars[random_below(r, r->n_vars)];
	reg = ir_new_reg(&r->b);
	return r->vars[r->n_vars++] = reg;
}

static inline void random_operation(struct random_ir *r)
{
	static const uint8_t sizes[] = { 8, 16, 32, 1 };
	struct ir_insn insn = { .op = random_below(r, IR_ZERO + 1) };

	insn.a = random_value(r);
	insn.b = random_value(r);
	insn.bits = insn.op <= IR_SAR ? 32 * (1 + random_below(r, 2)) : 0;
	if (insn.op == IR_SWAP)
		insn.bits = 16 << random_below(r, 3);
	else if (insn.op == IR_SIGN)
		insn.bits = sizes[random_below(r, 3)];
	else if (insn.op == IR_ZERO)
		insn.bits = sizes[random_below(r, 4)];
	insn.dst = random_target(r);
	ir_add(&r->b, &insn);
}

/* Reads or writes a part of the object, which is 64 bytes long. */
static inline void random_memory(struct random_ir *r)
{
	uint8_t bits = 8 << random_below(r, 4);
	uint32_t at = random_below(r, 64 / (bits / 8)) * (bits / 8);
	struct ir_insn load = { .op = IR_LOAD, .bits = bits, .a = r->object, .imm = at };

	if (random_below(r, 2)) {
		ir_store(&r->b, bits, r->object, at, random_value(r));
		return;
	}
	load.is_signed = random_below(r, 2);
	load.dst = random_target(r);
	ir_add(&r->b, &load);
}

static inline void random_result(struct random_ir *r)
{
	if (r->n_results < RANDOM_RESULTS)
		ir_store(&r->b, 64, r->cells, (RANDOM_INPUTS + r->n_results++) * 8,
			 ir_reg(r->vars[random_below(r, r->n_vars)]));
}

static inline void random_statements(struct random_ir *r, uint32_t n);

static inline void random_if(struct random_ir *r)
{
	uint32_t then = ir_new_block(&r->b), otherwise = ir_new_block(&r->b), end = ir_new_block(&r->b);
	struct ir_insn branch = { .op = IR_BRANCH, .dst = IR_NONE, .then = then, .otherwise = otherwise };

	/* one after the other: the compiler chooses the order within an initialiser */
	branch.bits = 32 * (1 + random_below(r, 2));
	branch.condition = random_below(r, IR_TEST + 1);
	branch.a = random_value(r);
	branch.b = random_value(r);
	ir_add(&r->b, &branch);
	r->depth++;
	r->b.block = then;
	random_statements(r, random_below(r, 4));
	ir_jump(&r->b, end);
	r->b.program->functions.v[r->b.function].blocks.v[otherwise].is_cold = !random_below(r, 4);
	r->b.block = otherwise;
	random_statements(r, random_below(r, 4));
	ir_jump(&r->b, end);
	r->depth--;
	r->b.block = end;
}

static inline void random_loop(struct random_ir *r)
{
	uint32_t i = ir_new_reg(&r->b);
	uint32_t head = ir_new_block(&r->b), body = ir_new_block(&r->b), end = ir_new_block(&r->b);

	ir_move(&r->b, i, ir_imm(0));
	ir_jump(&r->b, head);
	r->b.block = head;
	ir_branch(&r->b, IR_LT, ir_reg(i), ir_imm(1 + random_below(r, 4)), body, end);
	r->b.block = body;
	r->depth++;
	random_statements(r, random_below(r, 4));
	r->depth--;
	ir_move(&r->b, i, ir_binary(&r->b, IR_ADD, ir_reg(i), ir_imm(1)));
	ir_jump(&r->b, head);
	r->b.block = end;
}

/* A helper whose result is not used, for what it does to registers, or a function of the program. */
static inline void random_call(struct random_ir *r)
{
	uint32_t n = r->b.program->functions.n - 1;
	struct ir_insn insn = { .op = IR_CALL };

	if (r->b.function || !n || random_below(r, 2)) {
		ir_call(&r->b, IR_HELPER, 7 /* bpf_get_prandom_u32() */, NULL, 0);
		return;
	}
	insn.index = 1 + random_below(r, n);
	insn.n_args = r->b.program->functions.v[insn.index].n_params;
	for (uint8_t i = 0; i < insn.n_args; i++)
		insn.args[i] = random_value(r);
	insn.dst = random_target(r);
	ir_add(&r->b, &insn);
}

static inline void random_statements(struct random_ir *r, uint32_t n)
{
	while (n--) {
		uint32_t kind = random_below(r, 40);

		if (kind == 0 && r->depth < 2)
			random_if(r);
		else if (kind == 1 && !r->depth)
			random_loop(r);
		else if (kind < 4)
			random_call(r);
		else if (kind < 8)
			random_memory(r);
		else
			random_operation(r);
		if (!r->depth && !r->b.function)
			random_result(r);
	}
}

/* Fills the function r->b.function. */
static inline void random_function(struct random_ir *r, uint32_t n)
{
	uint32_t n_params = r->b.program->functions.v[r->b.function].n_params;

	r->b.block = 0;
	r->n_vars = 0;
	r->object = ir_address(&r->b, IR_OBJECT, ir_new_object(&r->b, 64, 8), 0);
	for (uint32_t i = 0; i < 8; i++)
		ir_store(&r->b, 64, r->object, i * 8, ir_imm(i));
	for (uint32_t i = 0; i < n_params; i++)
		r->vars[r->n_vars++] = i;
	if (!r->b.function) {
		r->cells = ir_address(&r->b, IR_DATA, LANG_DATA_CELLS, 0);
		for (uint32_t i = 0; i < RANDOM_INPUTS; i++)
			r->vars[r->n_vars++] = ir_load(&r->b, 64, false, r->cells, i * 8).reg;
	}
	random_statements(r, n);
	ir_return(&r->b, ir_reg(r->vars[random_below(r, r->n_vars)]));
}

/* Up to RANDOM_RESULTS results. The caller releases the program. */
static inline void random_program(uint64_t seed, struct ir_program *program)
{
	struct random_ir r = { .state = seed * 0x9e3779b97f4a7c15ULL + 1, .b.program = program };

	*program = (struct ir_program){};
	ir_function_new(program, 0);
	for (uint32_t n = random_below(&r, 3); n--;) {
		r.b.function = ir_function_new(program, 1 + random_below(&r, 5));
		random_function(&r, random_below(&r, 12));
	}
	r.b.function = 0;
	random_function(&r, RANDOM_RESULTS);
}

#endif
