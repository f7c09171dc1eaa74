// SPDX-License-Identifier: BSD-2-Clause
/* What the parts of a map's key are, as a label would be named: comm of @[comm], filename of @[str(args.filename)]. */
#include "checker.h"

static const char *name_of(const struct ast *ast);

/* The first of a list that has a name. */
static const char *first_name(const struct ast *list)
{
	const char *name = NULL;

	for (; list && !name; list = list->next)
		name = name_of(list);
	return name;
}

static const char *name_of_two(const struct ast *first, const struct ast *second)
{
	const char *name = first ? name_of(first) : NULL;

	return name || !second ? name : name_of(second);
}

/* What remains of a number has few values, and is not what the number is: tid % 2 is no tid. */
static bool is_few(enum ast_op op)
{
	return op == OP_MOD || op == OP_AND || op == OP_NOT || (op >= OP_EQ && op <= OP_LOGIC_OR);
}

/* The tree is at most 1,000 high. */
static const char *name_of(const struct ast *ast)
{
	switch (ast->kind) {
	case AST_NAME:
		return ast->name.name;
	case AST_VARIABLE:
		return ast->variable.name + 1;
	case AST_MAP:
		return ast->map.name[1] ? ast->map.name + 1 : NULL;
	case AST_FIELD:
		return ast->field.name ? ast->field.name : name_of(ast->field.of);
	case AST_INDEX:
		return name_of(ast->index.of);
	case AST_CAST:
		return ast->cast.operand ? name_of(ast->cast.operand) : NULL;
	case AST_UNARY:
		return name_of(ast->unary.operand);
	case AST_BINARY:
		if (is_few(ast->binary.op))
			return NULL;
		return name_of_two(ast->binary.left, ast->binary.right);
	case AST_TERNARY:
		return name_of_two(ast->branch.then, ast->branch.otherwise);
	case AST_CALL:
		return first_name(ast->call.args) ?: ast->call.name;
	default:
		return NULL;
	}
}

void check_label_key(struct checker *c, struct lang_map *map, const struct ast *key)
{
	bool is_tuple = key->kind == AST_TUPLE;
	const struct ast *part = is_tuple ? key->list.first : key;
	const char **labels;

	if (map->labels)
		return;
	map->n_labels = is_tuple ? key->list.n : 1;
	labels = pool_alloc(c->pool, (map->n_labels + 1) * sizeof(*labels));
	for (uint32_t i = 0; i < map->n_labels; i++, part = part->next) {
		const char *name = name_of(part);

		labels[i] = name ? pool_add(c->pool, name) : NULL;
	}
	map->labels = labels;
}
