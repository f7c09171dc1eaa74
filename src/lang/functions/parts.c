// SPDX-License-Identifier: BSD-2-Clause
/* Parts of texts: they are texts at an address within. */
#include "lang/check/checker.h"
#include "lang/lower/lowering.h"

/* A part of a text is at most as long as the text. */
static const struct type *check_part(struct checker *c, struct ast *call, unsigned int n_texts)
{
	for (unsigned int i = n_texts; i < call->call.n; i++)
		check_integer(c, check_argument(call, i), "a position or length");
	for (unsigned int i = 0; i < n_texts; i++)
		if (!check_text(c, call, i))
			return type_none();
	return type_string(c->pool, check_argument(call, 0)->type->size);
}

static const struct type *check_part_of_one(struct checker *c, struct ast *call)
{
	return check_part(c, call, 1);
}

/* A text in the program's memory, read from there as from the kernel's. */
static struct low_value part_at(struct lower *l, const struct low_memory *text, struct ir_value from,
				struct ir_value limit, const struct type *type)
{
	struct low_value part = { .kind = LOW_STRING, .type = type, .limit = limit, .is_part = true, .is_own = true };
	struct ir_value address = lower_address(l, text);

	part.v = ir_binary(&l->b, IR_ADD, address, from);
	part.memory = lower_pointed(part.v, SPACE_KERNEL);
	return part;
}

/* substr(text, from[, length]) */
static struct low_value lower_substr(struct lower *l, struct ast *call)
{
	struct ast *first = call->call.args->next, *length = first->next;
	struct low_value value = lower_expression(l, call->call.args);
	struct low_memory text = lower_place(l, &value, value.type);
	struct ir_value from = lower_bounded(l, lower_number(l, first), 0, value.type->size - 1);
	struct ir_value limit = ir_imm(call->type->size);

	if (length) {
		limit = lower_number(l, length);
		limit = limit.is_const ? ir_imm(limit.imm + 1) : ir_binary(&l->b, IR_ADD, limit, ir_imm(1));
		limit = lower_bounded(l, limit, 1, call->type->size);
	}
	return part_at(l, &text, from, limit, call->type);
}

FUNCTION(substr, 2, 3, check_part_of_one, lower_substr);

/* The index behind the path's last slash; 0: there is none. */
static struct ir_value behind_slash(struct lower *l, const struct low_memory *text, uint32_t size)
{
	struct ir_value behind = lower_library(l, LANG_FN_last, 3, lower_address(l, text), ir_imm(size), ir_imm('/'));

	return lower_bounded(l, behind, 0, size - 1);
}

static struct low_value lower_basename(struct lower *l, struct ast *call)
{
	struct low_value value = lower_expression(l, call->call.args);
	struct low_memory text = lower_place(l, &value, value.type);
	struct ir_value behind = behind_slash(l, &text, value.type->size);

	return part_at(l, &text, behind, ir_imm(call->type->size), call->type);
}

FUNCTION(basename, 1, 1, check_part_of_one, lower_basename);

/* Before the last slash; "." if there is none. */
static struct low_value lower_dirname(struct lower *l, struct ast *call)
{
	struct low_value value = lower_expression(l, call->call.args);
	struct low_memory text = lower_place(l, &value, value.type), dot;
	struct ir_value behind = behind_slash(l, &text, value.type->size);
	uint32_t none = ir_new_block(&l->b), some = ir_new_block(&l->b), done = ir_new_block(&l->b);
	uint32_t limit = ir_new_reg(&l->b), from = ir_new_reg(&l->b);

	ir_branch(&l->b, IR_EQ, behind, ir_imm(0), none, some);
	lower_at(l, none);
	dot = lower_temp(l, 8);
	lower_store(l, &dot, 64, ir_imm('.'));
	ir_move(&l->b, from, lower_address(l, &dot));
	ir_move(&l->b, limit, ir_imm(2));
	ir_jump(&l->b, done);
	lower_at(l, some);
	ir_move(&l->b, from, lower_address(l, &text));
	ir_move(&l->b, limit, lower_bounded(l, behind, 2, value.type->size)); /* "/" of "/x" */
	ir_jump(&l->b, done);
	lower_at(l, done);
	return (struct low_value){ .kind = LOW_STRING,
				   .type = call->type,
				   .is_part = true,
				   .is_own = true,
				   .limit = lower_bounded(l, ir_reg(limit), 1, call->type->size),
				   .v = ir_reg(from),
				   .memory = lower_pointed(ir_reg(from), SPACE_KERNEL) };
}

FUNCTION(dirname, 1, 1, check_part_of_one, lower_dirname);

static const struct type *check_strtok(struct checker *c, struct ast *call)
{
	return check_part(c, call, 2);
}

FUNCTION(strtok, 2, 3, check_strtok, lower_instead,
	 .instead = "index() finds where a part ends, and substr() cuts it out");
