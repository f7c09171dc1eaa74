// SPDX-License-Identifier: BSD-2-Clause
/* Comparisons: of numbers, texts, arrays and tuples. */
#include <linux/bpf.h>

#include "lowering.h"

bool lower_is_comparison(enum ast_op op)
{
	return op >= OP_EQ && op <= OP_GE;
}

static enum ir_condition condition_of(enum ast_op op, bool is_signed)
{
	switch (op) {
	case OP_EQ:
		return IR_EQ;
	case OP_NE:
		return IR_NE;
	case OP_LT:
		return is_signed ? IR_SLT : IR_LT;
	case OP_LE:
		return is_signed ? IR_SLE : IR_LE;
	case OP_GT:
		return is_signed ? IR_SGT : IR_GT;
	default:
		return is_signed ? IR_SGE : IR_GE;
	}
}

/* Compares size bytes of two places in the program's memory. */
static void compare_bytes(struct lower *l, const struct low_memory *x, const struct low_memory *y, uint32_t size,
			  uint32_t then, uint32_t otherwise)
{
	struct ir_value x_address, y_address;

	if (size > LOWER_OBJECT_MAX) {
		x_address = lower_address(l, x);
		y_address = lower_address(l, y);
		ir_branch(&l->b, IR_EQ,
			  lower_library(l, LANG_FN_memory_compare, 3, x_address, y_address, ir_imm(size)), ir_imm(0),
			  then, otherwise);
		return;
	}
	for (uint32_t done = 0, n; done < size; done += n) {
		struct low_memory a = lower_behind(*x, done), b = lower_behind(*y, done);
		uint32_t next = ir_new_block(&l->b);

		for (n = 8; n > size - done || a.at % n || b.at % n;)
			n /= 2;
		ir_branch(&l->b, IR_EQ, lower_load(l, &a, n * 8, false), lower_load(l, &b, n * 8, false), next,
			  otherwise);
		lower_at(l, next);
	}
	ir_jump(&l->b, then);
}

/* --- texts --- */

/* A text with a literal: the literal's bytes and its NUL. */
static void compare_literal(struct lower *l, const struct low_value *text, const struct low_value *literal,
			    uint32_t then, uint32_t otherwise)
{
	uint32_t size = literal->len + 1, room = text->type->size;
	struct low_value copy = *text;
	struct type type = { .kind = TYPE_STRING };
	struct low_memory at;

	if (size > room) {
		ir_jump(&l->b, otherwise);
		return;
	}
	if (text->kind == LOW_STRING || text->kind == LOW_COMM) { /* no more of it than is compared */
		type.size = text->kind == LOW_COMM ? 16 : size < room ? size + 1
								      : room;
		copy.type = &type;
		at = lower_place(l, &copy, pool_copy(&l->program->pool, &type, sizeof(type)));
	} else {
		at = lower_place(l, text, text->type);
	}
	for (uint32_t done = 0, n; done < size; done += n) {
		struct low_memory part = lower_behind(at, done);
		uint32_t next = ir_new_block(&l->b);
		int64_t word = 0;

		/* Texts are filled up with NULs: a whole word may be compared if the text has room for it. */
		for (n = 8; n > room - done || part.at % n || (n / 2 >= size - done && n > 1) ||
			    (text->kind == LOW_STRING && n > size - done);)
			n /= 2;
		memcpy(&word, literal->text + done, size - done < n ? size - done : n);
		ir_branch(&l->b, IR_EQ, lower_load(l, &part, n * 8, false), ir_imm(word), next, otherwise);
		lower_at(l, next);
	}
	ir_jump(&l->b, then);
}

void lower_compare_texts(struct lower *l, const struct low_value *x, const struct low_value *y, uint32_t then,
			 uint32_t otherwise)
{
	struct low_memory a, b;
	struct ir_value a_address, b_address, result;
	uint32_t size;

	if (x->kind == LOW_LITERAL || y->kind == LOW_LITERAL) {
		compare_literal(l, y->kind == LOW_LITERAL ? x : y, y->kind == LOW_LITERAL ? y : x, then, otherwise);
		return;
	}
	a = lower_place_words(l, x, x->type);
	b = lower_place_words(l, y, y->type);
	size = x->type->size < y->type->size ? x->type->size : y->type->size;
	a_address = lower_address(l, &a);
	b_address = lower_address(l, &b);
	result = lower_library(l, LANG_FN_compare, 3, a_address, b_address, ir_imm(size));
	ir_branch(&l->b, IR_EQ, result, ir_imm(0), then, otherwise);
}

/* --- whatever two values are --- */

static struct low_value element(const struct low_value *tuple, uint32_t i)
{
	const struct type_field *field = &tuple->type->fields[i];

	if (tuple->kind == LOW_TUPLE)
		return tuple->elements[i];
	return lower_at_memory(lower_behind(tuple->memory, field->at), field->type);
}

static void compare_values(struct lower *l, const struct low_value *x, const struct low_value *y, uint32_t then,
			   uint32_t otherwise);

static void compare_tuples(struct lower *l, struct low_value x, struct low_value y, uint32_t then, uint32_t otherwise)
{
	if (x.kind == LOW_OPTIONAL)
		x = lower_at_memory(lower_place(l, &x, x.type), x.type);
	if (y.kind == LOW_OPTIONAL)
		y = lower_at_memory(lower_place(l, &y, y.type), y.type);
	for (uint32_t i = 0; i < x.type->n_fields && i < y.type->n_fields; i++) {
		struct low_value a = element(&x, i), b = element(&y, i);
		uint32_t next = ir_new_block(&l->b);

		compare_values(l, &a, &b, next, otherwise);
		lower_at(l, next);
	}
	ir_jump(&l->b, then);
}

/* Goes to then if they are equal. */
static void compare_values(struct lower *l, const struct low_value *x, const struct low_value *y, uint32_t then,
			   uint32_t otherwise)
{
	if (x->type->kind == TYPE_STRING && y->type->kind == TYPE_STRING) {
		lower_compare_texts(l, x, y, then, otherwise);
	} else if (x->type->kind == TYPE_TUPLE || x->type->kind == TYPE_RECORD) {
		compare_tuples(l, *x, *y, then, otherwise);
	} else if (lower_is_word(x->type) && lower_is_word(y->type)) {
		struct ir_value a = lower_use(l, x), b = lower_use(l, y);

		ir_branch(&l->b, IR_EQ, a, b, then, otherwise);
	} else {
		struct low_memory a = lower_place_words(l, x, x->type), b = lower_place_words(l, y, y->type);

		compare_bytes(l, &a, &b, x->type->size < y->type->size ? x->type->size : y->type->size, then,
			      otherwise);
	}
}

void lower_compare(struct lower *l, struct ast *ast, uint32_t then, uint32_t otherwise)
{
	enum ast_op op = ast->binary.op;
	struct low_value x = lower_expression(l, ast->binary.left), y;
	struct ir_value a, b;

	if (!lower_is_word(x.type)) {
		y = lower_expression(l, ast->binary.right);
		compare_values(l, &x, &y, op == OP_NE ? otherwise : then, op == OP_NE ? then : otherwise);
		return;
	}
	a = lower_use(l, &x);
	y = lower_expression(l, ast->binary.right);
	b = lower_use(l, &y);
	if (a.is_const)
		a = ir_unary(&l->b, IR_MOVE, 64, a);
	ir_branch(&l->b, condition_of(op, lang_operand_type(x.type, y.type)->is_signed), a, b, then, otherwise);
}
