// SPDX-License-Identifier: BSD-2-Clause
/* Builds three-address code, and says what its operations have. Simplifies nothing. */
#include "ir.h"

void ir_program_release(struct ir_program *program)
{
	vec_each(function, &program->functions) {
		vec_each(block, &function->blocks)
			free(block->v);
		free(function->blocks.v);
		free(function->objects.v);
	}
	free(program->functions.v);
	*program = (struct ir_program){};
}

uint32_t ir_function_new(struct ir_program *program, uint32_t n_params)
{
	struct ir_function *function = vec_push(&program->functions);

	function->n_params = n_params;
	function->n_regs = n_params;
	vec_push(&function->blocks);
	return program->functions.n - 1;
}

static struct ir_function *current(const struct ir_builder *b)
{
	return &b->program->functions.v[b->function];
}

uint32_t ir_new_reg(struct ir_builder *b)
{
	return current(b)->n_regs++;
}

uint32_t ir_new_block(struct ir_builder *b)
{
	vec_push(&current(b)->blocks);
	return current(b)->blocks.n - 1;
}

uint32_t ir_new_object(struct ir_builder *b, uint32_t size, uint32_t align)
{
	*vec_push(&current(b)->objects) = (struct ir_object){ size, align };
	return current(b)->objects.n - 1;
}

void ir_add(struct ir_builder *b, const struct ir_insn *insn)
{
	struct ir_insn *to = vec_push(&current(b)->blocks.v[b->block]);

	*to = *insn;
	to->at = b->at;
}

static struct ir_value add_with_result(struct ir_builder *b, struct ir_insn insn)
{
	insn.dst = ir_new_reg(b);
	ir_add(b, &insn);
	return ir_reg(insn.dst);
}

struct ir_value ir_binary(struct ir_builder *b, enum ir_op op, struct ir_value x, struct ir_value y)
{
	return add_with_result(b, (struct ir_insn){ .op = op, .a = x, .b = y });
}

struct ir_value ir_unary(struct ir_builder *b, enum ir_op op, uint8_t bits, struct ir_value x)
{
	return add_with_result(b, (struct ir_insn){ .op = op, .bits = bits, .a = x });
}

void ir_move(struct ir_builder *b, uint32_t dst, struct ir_value x)
{
	ir_add(b, &(struct ir_insn){ .op = IR_MOVE, .dst = dst, .a = x });
}

struct ir_value ir_load(struct ir_builder *b, uint8_t bits, bool is_signed, struct ir_value base, int64_t offset)
{
	return add_with_result(b, (struct ir_insn){
					  .op = IR_LOAD,
					  .bits = bits,
					  .is_signed = is_signed,
					  .a = base,
					  .imm = offset,
				  });
}

void ir_store(struct ir_builder *b, uint8_t bits, struct ir_value base, int64_t offset, struct ir_value x)
{
	ir_add(b, &(struct ir_insn){ .op = IR_STORE, .bits = bits, .dst = IR_NONE, .a = base, .b = x, .imm = offset });
}

struct ir_value ir_address(struct ir_builder *b, enum ir_op op, uint32_t index, int64_t imm)
{
	return add_with_result(b, (struct ir_insn){ .op = op, .index = index, .imm = imm });
}

struct ir_value ir_call(struct ir_builder *b, enum ir_op op, uint32_t index, const struct ir_value *args, uint8_t n)
{
	struct ir_insn insn = { .op = op, .index = index, .n_args = n };

	for (uint8_t i = 0; i < n; i++)
		insn.args[i] = args[i];
	return add_with_result(b, insn);
}

void ir_jump(struct ir_builder *b, uint32_t block)
{
	ir_add(b, &(struct ir_insn){ .op = IR_JUMP, .dst = IR_NONE, .then = block });
}

void ir_branch(struct ir_builder *b, enum ir_condition condition, struct ir_value x, struct ir_value y, uint32_t then,
	       uint32_t otherwise)
{
	ir_add(b, &(struct ir_insn){
			  .op = IR_BRANCH,
			  .condition = condition,
			  .dst = IR_NONE,
			  .a = x,
			  .b = y,
			  .then = then,
			  .otherwise = otherwise,
		  });
}

void ir_return(struct ir_builder *b, struct ir_value x)
{
	ir_add(b, &(struct ir_insn){ .op = IR_RETURN, .dst = IR_NONE, .a = x });
}

bool ir_block_ended(const struct ir_builder *b)
{
	const struct ir_block *block = &current(b)->blocks.v[b->block];

	return block->n && ir_is_end(block->v[block->n - 1].op);
}

/* --- what operations have --- */

enum {
	USES_A = 1,
	USES_B = 2,
	DEFINES = 4,	/* has a result */
	MAY_DEFINE = 8, /* may have one */
	ARGUMENTS = 16, /* uses args */
	KEEP = 32,	/* has an effect besides its result */
	END = 64,
};

static const uint8_t properties[IR_OPS] = {
	[IR_ADD... IR_SAR] = USES_A | USES_B | DEFINES,
	[IR_MOVE... IR_ZERO] = USES_A | DEFINES,
	[IR_CONST... IR_CONTEXT] = DEFINES,
	[IR_LOAD] = USES_A | DEFINES,
	[IR_STORE] = USES_A | USES_B | KEEP,
	[IR_ATOMIC_ADD] = USES_A | USES_B | KEEP,
	[IR_ATOMIC] = USES_A | USES_B | MAY_DEFINE | KEEP,
	[IR_HELPER... IR_CALL] = MAY_DEFINE | ARGUMENTS | KEEP,
	[IR_JUMP] = KEEP | END,
	[IR_BRANCH] = USES_A | USES_B | KEEP | END,
	[IR_RETURN] = USES_A | KEEP | END,
};

bool ir_is_end(enum ir_op op)
{
	return properties[op] & END;
}

bool ir_is_call(enum ir_op op)
{
	return properties[op] & ARGUMENTS;
}

bool ir_has_effect(enum ir_op op)
{
	return properties[op] & KEEP;
}

uint32_t ir_result(const struct ir_insn *insn)
{
	return properties[insn->op] & (DEFINES | MAY_DEFINE) ? insn->dst : IR_NONE;
}

uint32_t ir_uses(struct ir_insn *insn, struct ir_value **uses)
{
	uint32_t n = 0;

	if (properties[insn->op] & USES_A)
		uses[n++] = &insn->a;
	if (properties[insn->op] & USES_B)
		uses[n++] = &insn->b;
	for (uint8_t i = 0; properties[insn->op] & ARGUMENTS && i < insn->n_args; i++)
		uses[n++] = &insn->args[i];
	return n;
}

uint32_t ir_targets(const struct ir_insn *insn, uint32_t targets[2])
{
	targets[0] = insn->then;
	targets[1] = insn->otherwise;
	return insn->op == IR_JUMP ? 1 : insn->op == IR_BRANCH ? 2
							       : 0;
}

static const char *const library_names[LANG_FNS] = {
#define LIBRARY(NAME, N) [LANG_FN_##NAME] = #NAME,
	LANG_FUNCTIONS(LIBRARY)
#undef LIBRARY
};

const char *ir_library_name(uint32_t function)
{
	return function < LANG_FNS ? library_names[function] : "?";
}
