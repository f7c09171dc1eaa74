// SPDX-License-Identifier: BSD-2-Clause
/*
 * Finds the maps that need no hash of the kernel: those that hold a value for each thread, as @start[tid] does, whose
 * key is `tid` wherever they are used (struct lang_tasks); and those that programs only add to (struct lang_keys).
 */
#include "check_part.h"
#include "lang/tree/ast_walk.h"

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

/*
 * Whether the parent adds to an entry, or user space does with the whole map what it is asked. clear() frees keys,
 * which only the kernel's hash can.
 */
static bool is_only_added_to(const struct ast *map, const struct ast *parent)
{
	if (map->map.keys)
		return parent->kind == AST_ASSIGN && parent->assign.to == map && parent->assign.op == OP_NONE;
	if (parent->kind != AST_CALL || !parent->call.function || parent->call.args != map)
		return false;
	return parent->call.function->id == FUNCTION_PRINT || parent->call.function->id == FUNCTION_ZERO;
}

/* Whether the parent uses more of a map than user space shows: an entry, the number of entries, a loop over them. */
static bool is_seen(const struct ast *map, const struct ast *parent)
{
	if (parent->kind == AST_ASSIGN && parent->assign.to == map)
		return parent->assign.op != OP_NONE;
	if (map->map.keys || parent->kind != AST_CALL || !parent->call.function)
		return true;
	switch (parent->call.function->id) {
	case FUNCTION_PRINT:
	case FUNCTION_PRINTA:
	case FUNCTION_CLEAR:
	case FUNCTION_ZERO:
		return false;
	default:
		return true;
	}
}

/* Whether the parent computes with a value of the map. */
static bool is_used(const struct ast *map, const struct ast *parent)
{
	if (parent->kind == AST_ASSIGN && parent->assign.to == map)
		return false;
	if (parent->kind == AST_STEP)
		return false;
	if (parent->kind != AST_CALL || !parent->call.function)
		return true;
	switch (parent->call.function->id) {
	case FUNCTION_PRINT:
	case FUNCTION_PRINTA:
	case FUNCTION_PRINTF:
	case FUNCTION_CLEAR:
	case FUNCTION_ZERO:
	case FUNCTION_DELETE:
		return false;
	default:
		return true;
	}
}

/* Whether the parent deletes an entry of the map: delete(@x[key]), delete(@x, key). */
static bool is_deleted(const struct ast *map, const struct ast *parent)
{
	return parent->kind == AST_CALL && parent->call.function && parent->call.function->id == FUNCTION_DELETE &&
	       parent->call.args == map;
}

static void look(struct ast **child, void *ctx)
{
	struct ast *ast = *child;

	if (ast->kind == AST_MAP && ast->map.map) {
		ast->map.map->is_general |= !(ast->map.keys ? is_entry(ast, ctx) : is_whole(ast, ctx));
		ast->map.map->is_read |= !is_only_added_to(ast, ctx);
		ast->map.map->is_seen |= is_seen(ast, ctx);
		ast->map.map->is_used |= is_used(ast, ctx);
		ast->map.map->is_deleted |= is_deleted(ast, ctx);
	}
	ast_walk(ast, look, ast);
}

void check_tasks(struct checker *c)
{
	vec_each(probe, &c->checked->probes) {
		struct ast all = { .kind = AST_BLOCK, .block = { probe->ast->body, probe->ast->predicate } };

		ast_walk(&all, look, &all);
	}
}
