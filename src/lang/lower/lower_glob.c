// SPDX-License-Identifier: BSD-2-Clause
/*
 * globmatch(text, pattern): an automaton made of the pattern. Its state is a word with a bit for each place in the
 * pattern that is reached. There is no branch but the loop's, for the verifier runs through every turn.
 */
#include "lowering.h"

#define PLACES_MAX 62

/* The bytes of the pattern that match one character, or a '*'. */
static uint32_t part_length(const char *pattern)
{
	const char *end = *pattern == '[' && pattern[1] ? strchr(pattern + 2, ']') : NULL;

	return end ? end - pattern + 1 : 1;
}

/* 1 if low <= c <= high. */
static struct ir_value in_range(struct lower *l, struct ir_value c, uint8_t low, uint8_t high)
{
	struct ir_value v = ir_binary(&l->b, IR_AND, ir_binary(&l->b, IR_SUB, c, ir_imm(low)), ir_imm(0xff));

	return ir_binary(&l->b, IR_SHR, ir_binary(&l->b, IR_SUB, v, ir_imm(high - low + 1)), ir_imm(63));
}

/* 1 if c is one of [a-z], [abc], [!abc]. */
static struct ir_value in_class(struct lower *l, struct ir_value c, const char *class, uint32_t length)
{
	const char *p = class + 1, *end = class + length - 1;
	bool is_not = *p == '!';
	struct ir_value any = ir_imm(0);

	for (p += is_not; p < end;) {
		bool is_range = p + 2 < end && p[1] == '-' && (uint8_t)p[2] >= (uint8_t)p[0];
		struct ir_value in = in_range(l, c, p[0], is_range ? p[2] : p[0]);

		any = any.is_const ? in : ir_binary(&l->b, IR_OR, any, in);
		p += is_range ? 3 : 1;
	}
	return is_not ? ir_binary(&l->b, IR_XOR, any.is_const ? ir_unary(&l->b, IR_MOVE, 64, any) : any, ir_imm(1))
		      : any;
}

static struct ir_value bit_of(struct lower *l, struct ir_value reached, uint32_t place)
{
	return ir_binary(&l->b, IR_AND, ir_binary(&l->b, IR_SHR, reached, ir_imm(place)), ir_imm(1));
}

/* What is behind a '*' that is reached is reached. */
static struct ir_value pass_stars(struct lower *l, struct ir_value reached, const char *pattern)
{
	uint32_t place = 0;

	for (const char *p = pattern; *p; p += part_length(p), place++)
		if (*p == '*')
			reached = ir_binary(&l->b, IR_OR, reached,
					    ir_binary(&l->b, IR_SHL, bit_of(l, reached, place), ir_imm(place + 1)));
	return reached;
}

/* The places that are reached behind the character c. */
static struct ir_value step(struct lower *l, struct ir_value reached, struct ir_value c, const char *pattern)
{
	struct ir_value next = ir_unary(&l->b, IR_MOVE, 64, ir_imm(0));
	uint32_t place = 0;

	for (const char *p = pattern; *p; p += part_length(p), place++) {
		struct ir_value bit = bit_of(l, reached, place);
		uint32_t length = part_length(p);

		if (length > 1)
			bit = ir_binary(&l->b, IR_AND, bit, in_class(l, c, p, length));
		else if (*p != '*' && *p != '?')
			bit = ir_binary(&l->b, IR_AND, bit, in_range(l, c, *p, *p));
		next = ir_binary(&l->b, IR_OR, next,
				 ir_binary(&l->b, IR_SHL, bit, ir_imm(*p == '*' ? place : place + 1)));
	}
	return pass_stars(l, next, pattern);
}

struct low_value lower_glob(struct lower *l, struct ast *call)
{
	struct ast *second = call->call.args->next;
	const char *pattern = second->text ? second->text : second->string.text;
	struct low_value value = lower_expression(l, call->call.args);
	struct low_memory text = lower_place(l, &value, value.type);
	uint32_t again = ir_new_block(&l->b), look = ir_new_block(&l->b), match = ir_new_block(&l->b);
	uint32_t done = ir_new_block(&l->b), i = ir_new_reg(&l->b), reached = ir_new_reg(&l->b), places = 0;
	struct ir_value base = lower_address(l, &text), c;

	for (const char *p = pattern; *p; p += part_length(p))
		places++;
	if (places > PLACES_MAX)
		lower_error(l, second->at, "globmatch() takes patterns of at most %d characters", PLACES_MAX);
	ir_move(&l->b, i, ir_imm(0));
	ir_move(&l->b, reached, pass_stars(l, ir_unary(&l->b, IR_MOVE, 64, ir_imm(1)), pattern));
	ir_jump(&l->b, again);
	lower_at(l, again);
	ir_branch(&l->b, IR_LT, ir_reg(i), ir_imm(value.type->size), look, done);
	lower_at(l, look);
	c = ir_load(&l->b, 8, false, ir_binary(&l->b, IR_ADD, base, ir_reg(i)), 0);
	ir_branch(&l->b, IR_NE, c, ir_imm(0), match, done);
	lower_at(l, match);
	ir_move(&l->b, reached, step(l, ir_reg(reached), c, pattern));
	ir_move(&l->b, i, ir_binary(&l->b, IR_ADD, ir_reg(i), ir_imm(1)));
	ir_jump(&l->b, again);
	lower_at(l, done);
	return lower_scalar(bit_of(l, ir_reg(reached), places), call->type);
}
