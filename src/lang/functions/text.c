// SPDX-License-Identifier: BSD-2-Clause
/* Functions that work on text: comparing and searching. */
#include "lang/check/checker.h"
#include "lang/lower/lowering.h"

static bool check_both(struct checker *c, struct ast *call)
{
	bool first = check_text(c, call, 0), second = check_text(c, call, 1);

	return first && second;
}

static const struct type *check_strncmp(struct checker *c, struct ast *call)
{
	const struct ast *a = check_argument(call, 0), *b = check_argument(call, 1);
	int64_t n = 0;
	bool texts = check_both(c, call), length = check_constant_argument(c, call, 2, &n);

	if (!texts || !length)
		return type_integer(8, true);
	if (n < 0)
		check_error(c, check_argument(call, 2)->at, "strncmp() cannot use negative length (%lld)",
			    (long long)n);
	else if (check_is_known_text(a) && check_is_known_text(b))
		check_set_integer(call, strncmp(a->text, b->text, n), type_integer(8, true));
	return type_integer(8, true);
}

static struct ir_value truth(struct lower *l, uint32_t yes, uint32_t no, int64_t if_yes, int64_t if_no)
{
	uint32_t dst = ir_new_reg(&l->b), done = ir_new_block(&l->b);

	lower_at(l, yes);
	ir_move(&l->b, dst, ir_imm(if_yes));
	ir_jump(&l->b, done);
	lower_at(l, no);
	ir_move(&l->b, dst, ir_imm(if_no));
	ir_jump(&l->b, done);
	lower_at(l, done);
	return ir_reg(dst);
}

/* strncmp(a, b, n): 0 if the first n bytes are the same up to a NUL. */
static struct low_value lower_strncmp(struct lower *l, struct ast *call)
{
	struct ast *left = call->call.args, *right = left->next, *length = right->next;
	struct low_value x = lower_expression(l, left), y = lower_expression(l, right);
	struct low_memory a, b;
	struct ir_value a_address, b_address;
	uint32_t size = x.type->size < y.type->size ? x.type->size : y.type->size;
	uint32_t n = length && length->constant < size ? length->constant : size;

	if (!length && (x.kind == LOW_LITERAL || y.kind == LOW_LITERAL)) {
		uint32_t yes = ir_new_block(&l->b), no = ir_new_block(&l->b);

		lower_compare_texts(l, &x, &y, yes, no);
		return lower_scalar(truth(l, yes, no, 0, 1), call->type);
	}
	a = lower_place_words(l, &x, x.type);
	b = lower_place_words(l, &y, y.type);
	a_address = lower_address(l, &a);
	b_address = lower_address(l, &b);
	return lower_scalar(lower_library(l, LANG_FN_compare, 3, a_address, b_address, ir_imm(n)), call->type);
}

FUNCTION(strncmp, 3, 3, check_strncmp, lower_strncmp);

static const struct type *check_strcmp(struct checker *c, struct ast *call)
{
	check_both(c, call);
	return type_integer(8, true);
}

FUNCTION(strcmp, 2, 2, check_strcmp, lower_strncmp);

/* The verifier runs through the search: a text's bytes by the other's are at most as many. */
#define SEARCH_MAX (48 * 1024)

/* The index of y in x, or -1. A short literal is one number. */
static struct ir_value find_text(struct lower *l, const struct low_value *x, const struct low_value *y, struct span at)
{
	struct low_memory a = lower_place(l, x, x->type), b;
	struct ir_value a_address = lower_address(l, &a), b_address;
	uint64_t word = 0;

	if (y->kind == LOW_LITERAL && !y->len)
		return ir_imm(0);
	if (y->kind != LOW_LITERAL || y->len > sizeof(word)) {
		if ((uint64_t)x->type->size * y->type->size > SEARCH_MAX)
			lower_error(l, at,
				    "a text of %u bytes in one of %u bytes is too long a search for the kernel: a "
				    "length, as in "
				    "str(x, 64), makes texts shorter",
				    y->type->size, x->type->size);
		b = lower_place(l, y, y->type);
		b_address = lower_address(l, &b);
		return lower_library(l, LANG_FN_find, 4, a_address, ir_imm(x->type->size), b_address,
				     ir_imm(y->type->size));
	}
	for (uint32_t i = 0; i < y->len; i++)
		word = word << 8 | (uint8_t)y->text[i];
	return lower_library(l, LANG_FN_find_word, 4, a_address, ir_imm(x->type->size), ir_imm(word), ir_imm(y->len));
}

/* The library searches in the program's memory. */
static struct ir_value lower_search(struct lower *l, struct ast *call)
{
	struct ast *left = call->call.args, *right = left->next;
	struct low_value x = lower_expression(l, left), y = lower_expression(l, right);

	return find_text(l, &x, &y, call->at);
}

static struct low_value lower_strstr(struct lower *l, struct ast *call)
{
	return lower_scalar(lower_search(l, call), call->type);
}

FUNCTION(strstr, 2, 2, check_strcmp, lower_strstr);
FUNCTION(index, 2, 2, check_strcmp, lower_strstr);

static const struct type *check_match(struct checker *c, struct ast *call)
{
	check_both(c, call);
	return type_bool();
}

static struct low_value lower_strcontains(struct lower *l, struct ast *call)
{
	struct ir_value found = lower_search(l, call);
	uint32_t yes = ir_new_block(&l->b), no = ir_new_block(&l->b);

	ir_branch(&l->b, IR_SGE, found, ir_imm(0), yes, no);
	return lower_scalar(truth(l, yes, no, 1, 0), call->type);
}

FUNCTION(strcontains, 2, 2, check_match, lower_strcontains);
FUNCTION(globmatch, 2, 2, check_match, lower_glob);

static const struct type *check_strlen(struct checker *c, struct ast *call)
{
	const struct ast *arg = check_argument(call, 0);

	if (check_text(c, call, 0) && check_is_known_text(arg))
		check_set_integer(call, strlen(arg->text), type_integer(8, false));
	return type_integer(8, false);
}

static struct low_value lower_strlen(struct lower *l, struct ast *call)
{
	struct low_value x = lower_expression(l, call->call.args);
	struct low_memory a = lower_place_words(l, &x, x.type);

	return lower_scalar(lower_library(l, LANG_FN_length, 2, lower_address(l, &a), ir_imm(x.type->size)),
			    call->type);
}

FUNCTION(strlen, 1, 1, check_strlen, lower_strlen);

/* How many bytes the text can have. */
static const struct type *check_strcap(struct checker *c, struct ast *call)
{
	const struct type *type = check_value(c, check_argument(call, 0));
	int64_t size = type->size;

	if (type->kind == TYPE_NONE)
		return type;
	if (type->kind == TYPE_POINTER)
		size = c->program->config.max_strlen;
	else if (!check_is_text(type))
		check_error(c, call->at, "strcap() expects a string (%s provided)", check_show(c, type));
	check_set_integer(call, size, type_integer(8, true));
	return call->type;
}

FUNCTION(strcap, 1, 1, check_strcap, lower_nothing);
