// SPDX-License-Identifier: BSD-2-Clause
/* Variables and what is assigned to them: scopes, types that grow, = += ++. */
#include "checker.h"

size_t check_block_begin(struct checker *c)
{
	size_t before = c->block_begin;

	c->block_begin = c->visible.n;
	return before;
}

void check_block_end(struct checker *c, size_t before)
{
	c->visible.n = c->block_begin;
	c->block_begin = before;
}

static struct ast_variable *check_find_variable(const struct checker *c, const char *name)
{
	for (size_t i = c->visible.n; i-- > 0;)
		if (!strcmp(c->visible.v[i]->name, name))
			return c->visible.v[i];
	return NULL;
}

struct ast_variable *check_declare(struct checker *c, struct ast *ast)
{
	struct ast_variable *variable = ast->variable.variable;

	if (!variable) {
		variable = pool_alloc(c->pool, sizeof(*variable));
		variable->name = ast->variable.name;
		variable->type = type_none();
		variable->at = ast->at;
		variable->number = c->n_variables++;
		ast->variable.variable = variable;
	}
	variable->loop = c->loop;
	*(struct ast_variable **)vec_push(&c->visible) = variable;
	*(struct ast_variable **)vec_push(&c->declared) = variable;
	return variable;
}

/* Finds the variable of a node; NULL: there is none, or not in this block. */
static struct ast_variable *check_use(struct checker *c, struct ast *ast)
{
	struct ast_variable *variable = check_find_variable(c, ast->variable.name);

	if (!variable)
		return NULL;
	ast->variable.variable = variable;
	if (variable->loop != c->loop)
		variable->is_captured = true;
	return variable;
}

const struct type *check_variable(struct checker *c, struct ast *ast)
{
	struct ast_variable *variable = check_use(c, ast);
	struct nearest nearest;

	if (variable)
		return variable->type;
	check_error(c, ast->at, "Undefined or undeclared variable: %s", ast->variable.name);
	nearest_init(&nearest, ast->variable.name);
	for (size_t i = 0; i < c->visible.n; i++)
		nearest_offer(&nearest, c->visible.v[i]->name);
	if (nearest_name(&nearest))
		check_hint(c, ast->at, "did you mean '%s'?", nearest_name(&nearest));
	vec_each(declared, &c->declared)
		if (!nearest_name(&nearest) && !strcmp((*declared)->name, ast->variable.name)) {
			check_hint(c, (*declared)->at,
				   "it ends with the block that it was first assigned in: 'let %s;' before that block "
				   "makes it known here, and --compat all such variables, as before bpftrace 0.22",
				   ast->variable.name);
			break;
		}
	if (c->is_final) /* is reported once */
		check_declare(c, ast)->is_assigned = true;
	return type_none();
}

bool check_grow_variable(struct checker *c, struct ast_variable *variable, const struct type *type, struct span at)
{
	const struct type *joined;

	if (type->kind == TYPE_VOID || type_is_aggregate(type)) {
		check_error(c, at, "Value '%s' cannot be assigned to a scratch variable.", check_show(c, type));
		return false;
	}
	variable->is_assigned = true;
	if (variable->is_typed && type_is_integral(variable->type) && type_is_integral(type))
		return true; /* the value is cut to what was written */
	if (!check_join(c, variable->type, type, &joined)) {
		check_error(c, at,
			    "Type mismatch for %s: trying to assign value of type '%s' when variable already has a "
			    "type '%s'",
			    variable->name, check_show(c, type), check_show(c, variable->type));
		return false;
	}
	if (!check_same(joined, variable->type))
		c->is_changed = true;
	variable->type = joined;
	return true;
}

/* What x becomes by `x OP= value`: at least as wide as x, and wide enough to count in it. */
static const struct type *check_compound(struct checker *c, struct ast *ast, const struct type *old)
{
	struct ast *value = ast->assign.value;
	struct ast to = *ast->assign.to;

	check_value(c, value);
	to.is_constant = false;
	to.type = old->kind == TYPE_NONE ? type_integer(8, value->type->is_signed) : old;
	if (value->type->kind == TYPE_NONE)
		return type_none();
	if (!type_is_scalar(to.type)) {
		check_error(c, ast->at, "the %s= operator cannot be used on '%s'", ast_operator_text(ast->assign.op),
			    check_show(c, to.type));
		return type_none();
	}
	return check_arithmetic(c, ast->assign.op, &to, value, ast->at);
}

/* Warns where an unsigned value becomes signed, because another value of the same variable or map is. */
static void check_becomes_signed(struct checker *c, const struct ast *value, const struct type *to, const char *name)
{
	const struct type *from = value->type;

	if (from->kind == TYPE_INTEGER && to->kind == TYPE_INTEGER && from->size == 8 && !from->is_signed &&
	    !from->is_literal && to->is_signed)
		check_warning(c, value->at,
			      "'%s' becomes '%s', which %s has for another value: from 2^63 on it is negative; "
			      "a cast says that this is meant",
			      check_show(c, from), check_show(c, to), name);
}

static const struct type *check_assign_variable(struct checker *c, struct ast *ast)
{
	struct ast *to = ast->assign.to;
	const struct type *type;
	struct ast_variable *variable;

	if (ast->assign.op != OP_NONE) {
		check_variable(c, to);
		variable = check_find_variable(c, to->variable.name);
		type = variable ? check_compound(c, ast, variable->type) : type_none();
	} else {
		type = check_value(c, ast->assign.value);
		variable = check_use(c, to);
		if (!variable)
			variable = check_declare(c, to);
	}
	if (variable && type->kind != TYPE_NONE)
		check_grow_variable(c, variable, type, ast->at);
	to->type = variable ? variable->type : type_none();
	if (ast->assign.op == OP_NONE && variable && !variable->is_typed)
		check_becomes_signed(c, ast->assign.value, to->type, variable->name);
	return to->type;
}

/* Reports a map's value that is assigned as a whole: @y = @x of an aggregate. */
static void check_copied_aggregate(struct checker *c, struct ast *ast, const struct type *type)
{
	check_error(c, ast->at,
		    "Map value '%s' cannot be assigned from one map to another: call the function, as in @x = count()",
		    check_show(c, type));
}

static const struct type *check_assign_map(struct checker *c, struct ast *ast)
{
	struct ast *to = ast->assign.to, *value = ast->assign.value;
	struct lang_map *map = check_map_access(c, to);
	const struct type *type;

	if (!map)
		return type_none();
	if (value->kind == AST_CALL && ast->assign.op == OP_NONE) {
		value->call.function = function_find(value->call.name);
		if (value->call.function && value->call.function->is_aggregate) {
			type = check_aggregate(c, to, value);
			value->type = type;
			to->type = type;
			if (type->kind != TYPE_NONE)
				check_grow_map(c, map, type, ast->at);
			return type_void();
		}
	}
	if (ast->assign.op != OP_NONE) {
		type = type_is_aggregate(map->value) ? map->value : check_compound(c, ast, map->value);
	} else {
		const struct lang_map *outer = c->assigned;

		c->assigned = value->kind == AST_BINARY ? map : NULL;
		type = check_expression(c, value);
		c->assigned = outer;
		if (type_is_aggregate(type)) {
			check_copied_aggregate(c, ast, type);
			return type_none();
		}
	}
	if (type_is_aggregate(map->value) && type->kind != TYPE_NONE) {
		check_error(c, ast->at,
			    "Type mismatch for %s: it holds '%s', and only such a call can be assigned to it",
			    map->name, check_show(c, map->value));
		return type_none();
	}
	if (type->kind == TYPE_VOID)
		check_error(c, value->at, "this has no value, and cannot be assigned to a map");
	else if (type->kind != TYPE_NONE)
		check_grow_map(c, map, type, ast->at);
	to->type = map->value;
	if (ast->assign.op == OP_NONE)
		check_becomes_signed(c, value, map->value, map->name);
	return map->value;
}

static const struct type *check_assign_memory(struct checker *c, struct ast *ast)
{
	struct ast *to = ast->assign.to;
	const struct type *type = check_expression(c, to), *added = check_value(c, ast->assign.value), *joined;
	const struct type *pointer = to->kind == AST_UNARY && to->unary.op == OP_DEREF ? to->unary.operand->type : NULL;

	if (type->kind == TYPE_NONE || added->kind == TYPE_NONE)
		return type;
	if (!pointer || pointer->kind != TYPE_POINTER || pointer->space != SPACE_BPF) {
		check_error(c, ast->at, "only variables and maps can be assigned to");
		if (pointer)
			check_hint(c, ast->at, "write_user() writes to the memory of the traced process");
		return type;
	}
	if (!check_join(c, type, added, &joined) || joined->size > type->size)
		check_error(c, ast->at, "Type mismatch: trying to assign value of type '%s' to '%s'",
			    check_show(c, added), check_show(c, type));
	return type;
}

const struct type *check_assign(struct checker *c, struct ast *ast)
{
	switch (ast->assign.to->kind) {
	case AST_VARIABLE:
		return check_assign_variable(c, ast);
	case AST_MAP:
		return check_assign_map(c, ast);
	default:
		return check_assign_memory(c, ast);
	}
}

/* The type of x after x++ or x--: 64 bits, as of x + 1 and x - 1, unless `let` said how large x is. */
static const struct type *check_stepped(const struct ast *ast, const struct type *old)
{
	if (old->kind == TYPE_NONE || old->kind == TYPE_BOOL)
		return type_integer(8, true);
	if (!type_is_integral(old) || old->size == 8)
		return old;
	return type_integer(8, old->is_signed || old->is_literal || ast->step.is_decrement);
}

const struct type *check_step(struct checker *c, struct ast *ast)
{
	struct ast *of = ast->step.of;
	struct ast_variable *variable = NULL;
	struct lang_map *map = NULL;
	const struct type *old;

	if (of->kind == AST_VARIABLE) {
		check_variable(c, of);
		variable = check_find_variable(c, of->variable.name);
	} else if (of->kind == AST_MAP) {
		map = check_map_access(c, of);
	} else {
		check_error(c, ast->at, "%s can only be applied to variables and maps",
			    ast->step.is_decrement ? "--" : "++");
	}
	if (!variable && !map)
		return type_none();
	old = variable ? variable->type : map->value;
	if (old->kind != TYPE_NONE && !type_is_scalar(old)) {
		check_error(c, ast->at, "the %s operator cannot be used on '%s'", ast->step.is_decrement ? "--" : "++",
			    check_show(c, old));
		return type_none();
	}
	if (variable && old->kind == TYPE_NONE && !variable->is_assigned)
		variable->type = type_integer(8, true);
	else if (variable)
		check_grow_variable(c, variable, check_stepped(ast, old), ast->at);
	else
		check_grow_map(c, map, check_stepped(ast, old), ast->at);
	of->type = variable ? variable->type : map->value;
	return of->type;
}
