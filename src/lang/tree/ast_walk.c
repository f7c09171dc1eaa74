// SPDX-License-Identifier: BSD-2-Clause
/* Goes through the parts of a tree; copies one. */
#include "ast_walk.h"

static void walk_one(struct ast **child, ast_fn fn, void *ctx)
{
	if (*child)
		fn(child, ctx);
}

static void walk_list(struct ast **first, ast_fn fn, void *ctx)
{
	for (struct ast **child = first; *child; child = &(*child)->next)
		fn(child, ctx);
}

static void walk_type(struct ast_type *type, ast_fn fn, void *ctx)
{
	if (!type)
		return;
	walk_one(&type->of, fn, ctx);
	walk_type(type->of_type, fn, ctx);
	for (struct ast_type *member = type->members; member; member = member->next)
		walk_type(member, fn, ctx);
}

static void walk_statement(struct ast *ast, ast_fn fn, void *ctx)
{
	switch (ast->kind) {
	case AST_LET:
		walk_one(&ast->let.variable, fn, ctx);
		walk_type(ast->let.as_type, fn, ctx);
		walk_one(&ast->let.value, fn, ctx);
		break;
	case AST_WHILE:
	case AST_FOR_MAP:
	case AST_FOR_RANGE:
	case AST_UNROLL:
		walk_one(&ast->loop.variable, fn, ctx);
		walk_one(&ast->loop.condition, fn, ctx);
		walk_one(&ast->loop.begin, fn, ctx);
		walk_one(&ast->loop.end, fn, ctx);
		walk_one(&ast->loop.body, fn, ctx);
		break;
	default:
		break;
	}
}

/* Expressions with a list, a block or a type in them. */
static void walk_others(struct ast *ast, ast_fn fn, void *ctx)
{
	switch (ast->kind) {
	case AST_CAST:
	case AST_SIZEOF:
	case AST_TYPEOF:
		walk_type(ast->cast.as_type, fn, ctx);
		walk_one(&ast->cast.operand, fn, ctx);
		break;
	case AST_OFFSETOF:
		walk_type(ast->offsetof.of_type, fn, ctx);
		walk_one(&ast->offsetof.of, fn, ctx);
		break;
	case AST_MAP:
		walk_list(&ast->map.keys, fn, ctx);
		break;
	case AST_CALL:
		walk_list(&ast->call.args, fn, ctx);
		break;
	case AST_TUPLE:
	case AST_RECORD:
		walk_list(&ast->list.first, fn, ctx);
		break;
	case AST_BLOCK:
		walk_list(&ast->block.first, fn, ctx);
		walk_one(&ast->block.value, fn, ctx);
		break;
	default:
		walk_statement(ast, fn, ctx);
		break;
	}
}

void ast_walk(struct ast *ast, ast_fn fn, void *ctx)
{
	switch (ast->kind) {
	case AST_UNARY:
	case AST_EXPRESSION:
	case AST_RETURN:
		walk_one(&ast->unary.operand, fn, ctx);
		break;
	case AST_BINARY:
		walk_one(&ast->binary.left, fn, ctx);
		walk_one(&ast->binary.right, fn, ctx);
		break;
	case AST_TERNARY:
	case AST_IF:
	case AST_IF_COMPTIME:
		walk_one(&ast->branch.condition, fn, ctx);
		walk_one(&ast->branch.then, fn, ctx);
		walk_one(&ast->branch.otherwise, fn, ctx);
		break;
	case AST_FIELD:
		walk_one(&ast->field.of, fn, ctx);
		break;
	case AST_INDEX:
		walk_one(&ast->index.of, fn, ctx);
		walk_one(&ast->index.index, fn, ctx);
		break;
	case AST_NAMED:
		walk_one(&ast->named.value, fn, ctx);
		break;
	case AST_ASSIGN:
		walk_one(&ast->assign.to, fn, ctx);
		walk_one(&ast->assign.value, fn, ctx);
		break;
	case AST_STEP:
		walk_one(&ast->step.of, fn, ctx);
		break;
	default:
		walk_others(ast, fn, ctx);
		break;
	}
}

static void copy_child(struct ast **child, void *ctx)
{
	*child = (struct ast *)pool_copy(ctx, *child, sizeof(**child));
	ast_walk(*child, copy_child, ctx);
}

struct ast *ast_copy(struct pool *pool, const struct ast *ast)
{
	struct ast *copy = (struct ast *)ast;

	if (!ast)
		return NULL;
	copy_child(&copy, pool);
	copy->next = NULL;
	return copy;
}
