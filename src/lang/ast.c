// SPDX-License-Identifier: BSD-2-Clause
/* Nodes of the tree: making, and visiting what is below one. */
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

static void visit(struct ast **child, void (*fn)(struct ast **child, void *ctx), void *ctx)
{
	if (*child)
		fn(child, ctx);
}

static void visit_list(struct ast **first, void (*fn)(struct ast **child, void *ctx), void *ctx)
{
	for (struct ast **child = first; *child; child = &(*child)->next)
		fn(child, ctx);
}

/* The expressions in typeof(). */
static void visit_type(struct ast_type *type, void (*fn)(struct ast **child, void *ctx), void *ctx)
{
	if (!type)
		return;
	visit(&type->of, fn, ctx);
	visit_type(type->of_type, fn, ctx);
	for (struct ast_type *member = type->members; member; member = member->next)
		visit_type(member, fn, ctx);
}

static void visit_loop(struct ast *node, void (*fn)(struct ast **child, void *ctx), void *ctx)
{
	visit(&node->loop.variable, fn, ctx);
	visit(&node->loop.condition, fn, ctx);
	visit(&node->loop.begin, fn, ctx);
	visit(&node->loop.end, fn, ctx);
	visit(&node->loop.body, fn, ctx);
}

static void visit_branch(struct ast *node, void (*fn)(struct ast **child, void *ctx), void *ctx)
{
	visit(&node->branch.condition, fn, ctx);
	visit(&node->branch.then, fn, ctx);
	visit(&node->branch.otherwise, fn, ctx);
}

static void visit_pair(struct ast **first, struct ast **second, void (*fn)(struct ast **child, void *ctx), void *ctx)
{
	visit(first, fn, ctx);
	visit(second, fn, ctx);
}

static void visit_let(struct ast *node, void (*fn)(struct ast **child, void *ctx), void *ctx)
{
	visit(&node->let.variable, fn, ctx);
	visit_type(node->let.as_type, fn, ctx);
	visit(&node->let.value, fn, ctx);
}

/* What stands in lists, and one child or two. */
static void visit_expression(struct ast *node, void (*fn)(struct ast **child, void *ctx), void *ctx)
{
	switch (node->kind) {
	case AST_MAP:
		visit_list(&node->map.keys, fn, ctx);
		break;
	case AST_CALL:
		visit_list(&node->call.args, fn, ctx);
		break;
	case AST_TUPLE:
	case AST_RECORD:
		visit_list(&node->list.first, fn, ctx);
		break;
	case AST_NAMED:
		visit(&node->named.value, fn, ctx);
		break;
	case AST_FIELD:
		visit(&node->field.of, fn, ctx);
		break;
	case AST_STEP:
		visit(&node->step.of, fn, ctx);
		break;
	case AST_BINARY:
		visit_pair(&node->binary.left, &node->binary.right, fn, ctx);
		break;
	case AST_INDEX:
		visit_pair(&node->index.of, &node->index.index, fn, ctx);
		break;
	case AST_ASSIGN:
		visit_pair(&node->assign.to, &node->assign.value, fn, ctx);
		break;
	default:
		break; /* leaves */
	}
}

void ast_each_child(struct ast *node, void (*fn)(struct ast **child, void *ctx), void *ctx)
{
	switch (node->kind) {
	case AST_UNARY:
	case AST_EXPRESSION:
	case AST_RETURN:
		visit(&node->unary.operand, fn, ctx);
		break;
	case AST_TERNARY:
	case AST_IF:
	case AST_IF_COMPTIME:
		visit_branch(node, fn, ctx);
		break;
	case AST_CAST:
	case AST_SIZEOF:
	case AST_TYPEOF:
		visit_type(node->cast.as_type, fn, ctx);
		visit(&node->cast.operand, fn, ctx);
		break;
	case AST_OFFSETOF:
		visit_type(node->offsetof.of_type, fn, ctx);
		visit(&node->offsetof.of, fn, ctx);
		break;
	case AST_BLOCK:
		visit_list(&node->block.first, fn, ctx);
		visit(&node->block.value, fn, ctx);
		break;
	case AST_LET:
		visit_let(node, fn, ctx);
		break;
	case AST_WHILE:
	case AST_FOR_MAP:
	case AST_FOR_RANGE:
	case AST_UNROLL:
		visit_loop(node, fn, ctx);
		break;
	default:
		visit_expression(node, fn, ctx);
		break;
	}
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

	ast_each_child(node, note_height, &height);
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
