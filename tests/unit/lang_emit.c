// SPDX-License-Identifier: BSD-2-Clause
/* Three-address code, folding, and instructions: random programs must do the same in each form. */
#include <criterion/criterion.h>

#include "bpf_interpret.h"
#include "tests/lang/ir_interpret.h"
#include "tests/lang/ir_random.h"
#include "tests/lang/show.h"

/* 100 results each. More by hand: SONDE_PROGRAMS=100000 build/unit/unit --filter lang_emit/random_programs */
#define PROGRAMS 1500

static void fill_inputs(struct random_ir *r, uint64_t *cells)
{
	memset(cells, 0, RANDOM_CELLS_SIZE);
	for (uint32_t i = 0; i < RANDOM_INPUTS; i++)
		cells[i] = random_number(r);
}

static uint64_t interpret(const struct ir_program *program, uint64_t *cells)
{
	struct ir_machine m = { .program = program, .data[LANG_DATA_CELLS] = (uint8_t *)cells, .steps = 1000000 };
	uint64_t ret = ir_run(&m, 0, NULL);

	cr_assert(m.steps);
	return ret;
}

static uint64_t run(const struct lang_code *code, uint64_t *cells)
{
	struct bpf_machine m = { .code = code, .data[LANG_DATA_CELLS] = (uint8_t *)cells, .steps = 1000000 };
	uint64_t ret = bpf_run(&m, 0, (const uint64_t[5]){}), steps = m.steps;

	cr_assert(steps);
	return ret;
}

static void expect_same(const struct ir_program *program, const struct lang_code *code, uint64_t seed, uint64_t ret,
			const uint64_t *expected, const uint64_t *inputs)
{
	uint64_t cells[RANDOM_CELLS_SIZE / 8] = {}, got;
	__str struct str text = {};

	memcpy(cells, inputs, RANDOM_INPUTS * 8);
	got = code ? run(code, cells) : interpret(program, cells);
	for (uint32_t i = 0; i < ARRAY_SIZE(cells); i++) {
		if (cells[i] == expected[i] && got == ret)
			continue;
		ir_show(program, &text);
		if (code)
			lang_code_show(code, &text);
		cr_assert(false, "program %llu, %s: word %u is %llx, not %llx; it returned %llx, not %llx:\n%s",
			  (unsigned long long)seed, code ? "instructions" : "folded", i, (unsigned long long)cells[i],
			  (unsigned long long)expected[i], (unsigned long long)got, (unsigned long long)ret, text.data);
	}
}

static void try_program(uint64_t seed)
{
	struct random_ir r = { .state = seed + 1 };
	uint64_t cells[RANDOM_CELLS_SIZE / 8], inputs[RANDOM_INPUTS], ret;
	struct ir_program program;
	struct lang_code code;
	struct err err = {};
	uint32_t stack;

	random_program(seed, &program);
	cr_assert_null(ir_check(&program), "%s", ir_check(&program));
	fill_inputs(&r, cells);
	memcpy(inputs, cells, sizeof(inputs));
	ret = interpret(&program, cells);
	for (int folded = 0; folded < 2; folded++) {
		if (folded) {
			ir_fold(&program);
			cr_assert_null(ir_check(&program), "%s", ir_check(&program));
			expect_same(&program, NULL, seed, ret, cells, inputs);
		}
		cr_assert_eq(lang_emit(&program, &code, &stack, &err), 0, "program %llu: %s", (unsigned long long)seed,
			     err.text);
		expect_same(&program, &code, seed, ret, cells, inputs);
		lang_code_release(&code);
	}
	ir_program_release(&program);
}

Test(lang_emit, random_programs)
{
	const char *more = getenv("SONDE_PROGRAMS");
	uint64_t n = more ? strtoull(more, NULL, 10) : PROGRAMS;

	for (uint64_t seed = 0; seed < n; seed++)
		try_program(seed);
}

/* A parameter that is assigned before it is read: what the caller passed must not come in the way of another one. */
Test(lang_emit, parameter_that_is_not_read)
{
	struct ir_program program = {};
	struct ir_builder b = { .program = &program };
	struct lang_code code;
	struct bpf_machine m = { .code = &code, .steps = 100 };
	struct err err = {};
	uint32_t stack;

	ir_function_new(&program, 2);
	ir_add(&b, &(struct ir_insn){ .op = IR_AND, .dst = 0, .a = ir_reg(1), .b = ir_imm(0xff) });
	ir_return(&b, ir_binary(&b, IR_SHL, ir_imm(1), ir_reg(0)));
	cr_assert_eq(lang_emit(&program, &code, &stack, &err), 0);
	cr_assert_eq(bpf_run(&m, 0, (const uint64_t[5]){ 5, 0x104 }), 16);
	lang_code_release(&code);
	ir_program_release(&program);
}
