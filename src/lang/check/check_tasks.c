// SPDX-License-Identifier: BSD-2-Clause
/*
 * Finds the maps that need no hash of the kernel: those that hold a value for each thread, as @start[tid] does, whose
 * key is `tid` wherever they are used (struct lang_tasks); and those that programs only add to (struct lang_keys).
 */
#include "checker.h"
#include "lang/tree/ast_walk.h"

static bool is_tid(const struct ast *key)
{
	return key && builtin_is(key, "tid");
}

/* The function that is called; NULL: the node is no call. */
static const struct function *called(const struct ast *ast)
{
	return ast->kind == AST_CALL ? ast->call.function : NULL;
}

/* Whether user space or the library's functions of threads can do what the parent does with the whole map. */
static bool is_whole(const struct ast *map, const struct ast *parent)
{
	const struct function *function = called(parent);

	return function && (function->map.is_shown ||
			    (function->map.is_keyed && parent->call.args == map && is_tid(map->next)));
}

static bool is_entry(const struct ast *map, const struct ast *parent)
{
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
	return called(parent) && called(parent)->map.keeps_keys && parent->call.args == map;
}

/* Whether the parent uses more of a map than user space shows: an entry, the number of entries, a loop over them. */
static bool is_seen(const struct ast *map, const struct ast *parent)
{
	if (parent->kind == AST_ASSIGN && parent->assign.to == map)
		return parent->assign.op != OP_NONE;
	return map->map.keys || !called(parent) || !called(parent)->map.is_shown;
}

/* Whether the parent computes with a value of the map. */
static bool is_used(const struct ast *map, const struct ast *parent)
{
	if ((parent->kind == AST_ASSIGN && parent->assign.to == map) || parent->kind == AST_STEP)
		return false;
	return !called(parent) || !called(parent)->map.is_unused;
}

/* Whether the parent deletes an entry of the map: delete(@x[key]), delete(@x, key). */
static bool is_deleted(const struct ast *map, const struct ast *parent)
{
	return called(parent) && called(parent)->map.is_deleted && parent->call.args == map;
}

/* Whether the parent changes a value other than by adding to it. */
static bool is_set(const struct ast *map, const struct ast *parent)
{
	if (parent->kind == AST_ASSIGN && parent->assign.to == map)
		return parent->assign.op != OP_ADD && parent->assign.op != OP_SUB;
	return (parent->kind == AST_UNARY && parent->unary.op == OP_ADDRESS) || is_deleted(map, parent);
}

/* Whether the parent uses a value. Whether it uses the result of a step, only lowering knows. */
static bool is_valued(const struct ast *map, const struct ast *parent)
{
	if ((parent->kind == AST_ASSIGN && parent->assign.to == map) || parent->kind == AST_STEP)
		return false;
	return map->map.keys || !called(parent) || !called(parent)->map.is_shown;
}

static void look(struct ast **child, void *ctx)
{
	struct ast *ast = *child;

	if (ast->kind == AST_MAP && ast->map.map) {
		ast->map.map->is_general |= !(ast->map.keys ? is_entry(ast, ctx) : is_whole(ast, ctx));
		ast->map.map->is_read |= !is_only_added_to(ast, ctx);
		ast->map.map->is_seen |= is_seen(ast, ctx);
		ast->map.map->is_used |= is_used(ast, ctx);
		ast->map.map->is_set |= is_set(ast, ctx);
		ast->map.map->is_valued |= is_valued(ast, ctx);
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
