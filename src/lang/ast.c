// SPDX-License-Identifier: BSD-2-Clause
/* Makes nodes of the tree. */
#include "ast_walk.h"
#include "parser.h"

struct ast *parse_node(struct parser *p, enum ast_kind kind, struct place at)
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
