// SPDX-License-Identifier: BSD-2-Clause
/* Makes nodes of the tree. */
#include "ast_walk.h"
#include "parse_part.h"

struct ast *parse_node(struct parser *p, enum ast_kind kind, struct span at)
{
	struct ast *node = pool_alloc(p->pool, sizeof(*node));

	node->kind = kind;
	node->at = at;
	if (++p->nodes > PARSE_MAX_NODES)
		parse_fail(p, at, "the program is too large: more than %d parts of expressions", PARSE_MAX_NODES);
	return node;
}

static void note_height(struct ast **child, void *ctx)
{
	uint32_t *height = ctx;

	if ((*child)->height > *height)
		*height = (*child)->height;
}

void ast_measure(struct ast *node)
{
	uint32_t height = 0;

	ast_walk(node, note_height, &height);
	node->height = height + 1;
}

struct ast *parse_seal(struct parser *p, struct ast *node)
{
	node->at = parse_since(p, node->at);
	ast_measure(node);
	if (node->height > PARSE_MAX_HEIGHT)
		parse_fail(p, node->at, "this expression is too long: more than %d operations on each other's results",
			   PARSE_MAX_HEIGHT);
	return node;
}

const char *ast_operator_text(enum ast_op op)
{
	static const char *const texts[] = {
		[OP_NONE] = "",
		[OP_ADD] = "+",
		[OP_SUB] = "-",
		[OP_MUL] = "*",
		[OP_DIV] = "/",
		[OP_MOD] = "%",
		[OP_AND] = "&",
		[OP_OR] = "|",
		[OP_XOR] = "^",
		[OP_SHL] = "<<",
		[OP_SHR] = ">>",
		[OP_EQ] = "==",
		[OP_NE] = "!=",
		[OP_LT] = "<",
		[OP_LE] = "<=",
		[OP_GT] = ">",
		[OP_GE] = ">=",
		[OP_LOGIC_AND] = "&&",
		[OP_LOGIC_OR] = "||",
		[OP_NOT] = "!",
		[OP_INVERT] = "~",
		[OP_NEGATE] = "-",
		[OP_DEREF] = "*",
		[OP_ADDRESS] = "&",
	};

	return texts[op];
}
