// SPDX-License-Identifier: BSD-2-Clause
/*
 * Finds the maps that hold a value for each thread, as @start[tid] does: wherever they are used, their key is `tid`.
 * Such values need no hash (struct lang_tasks).
 */
#include "ast_walk.h"
#include "checker.h"

static bool is_tid(const struct ast *key)
{
	return key && key->kind == AST_NAME && key->name.builtin && key->name.builtin->id == BUILTIN_TID;
}

/* Whether user space or the library's functions of threads can do what the parent does with the whole map. */
static bool is_whole(const struct ast *map, const struct ast *parent)
{
	if (parent->kind != AST_CALL || !parent->call.function)
		return false;
	if (parent->call.function->id == FUNCTION_PRINTA)
		return true;
	if (parent->call.args != map)
		return false;
	switch (parent->call.function->id) {
	case FUNCTION_DELETE:
	case FUNCTION_HAS_KEY:
		return is_tid(map->next);
	case FUNCTION_PRINT:
	case FUNCTION_CLEAR:
	case FUNCTION_ZERO:
		return true;
	default:
		return false;
	}
}

static bool is_entry(const struct ast *map, const struct ast *parent)
{
	if (parent->kind == AST_CALL && (!parent->call.function || parent->call.function->id == FUNCTION_FIND))
		return false;
	return is_tid(map->map.key) && !(parent->kind == AST_UNARY && parent->unary.op == OP_ADDRESS);
}

static void look(struct ast **child, void *ctx)
{
	struct ast *ast = *child;

	if (ast->kind == AST_MAP && ast->map.map && !(ast->map.keys ? is_entry(ast, ctx) : is_whole(ast, ctx)))
		ast->map.map->is_general = true;
	ast_walk(ast, look, ast);
}

void check_tasks(struct checker *c)
{
	vec_each(probe, &c->checked->probes) {
		struct ast all = { .kind = AST_BLOCK, .block = { probe->ast->body, probe->ast->predicate } };

		ast_walk(&all, look, &all);
	}
}
