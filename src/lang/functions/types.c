// SPDX-License-Identifier: BSD-2-Clause
/* What is known before the program runs: the types of expressions, fields, what the kernel has. */
#include "lang/check/checker.h"
#include "lang/lower/lowering.h"

/* is_ptr() and its kin ask for the type of their argument, which is not evaluated. False: it is not known. */
static bool type_of(struct checker *c, struct ast *call, const struct type **type)
{
	*type = check_value(c, call->call.args);
	return (*type)->kind != TYPE_NONE;
}

static const struct type *check_kind(struct checker *c, struct ast *call)
{
	const struct type *type;

	if (type_of(c, call, &type))
		check_set_bool(call, type->kind == call->call.function->result ||
					     (call->call.function->result == TYPE_STRING && check_is_place(type)));
	return type_bool();
}

FUNCTION(is_array, 1, 1, check_kind, lower_nothing, .result = TYPE_ARRAY);
FUNCTION(is_integer, 1, 1, check_kind, lower_nothing, .result = TYPE_INTEGER);
FUNCTION(is_ptr, 1, 1, check_kind, lower_nothing, .result = TYPE_POINTER);
FUNCTION(is_str, 1, 1, check_kind, lower_nothing, .result = TYPE_STRING);

static const struct type *check_is_unsigned(struct checker *c, struct ast *call)
{
	const struct type *type;

	if (type_of(c, call, &type))
		check_set_bool(call, type->kind == TYPE_INTEGER && !type->is_signed);
	return type_bool();
}

FUNCTION(is_unsigned_integer, 1, 1, check_is_unsigned, lower_nothing);

static const struct type *check_is_literal(struct checker *c, struct ast *call)
{
	const struct ast *arg = call->call.args;
	const struct type *type;

	if (type_of(c, call, &type))
		check_set_bool(call, arg->kind == AST_INTEGER || arg->kind == AST_STRING || arg->kind == AST_BOOL ||
					     arg->kind == AST_POSITIONAL ||
					     (arg->kind == AST_UNARY && arg->is_constant));
	return type_bool();
}

FUNCTION(is_literal, 1, 1, check_is_literal, lower_nothing);

/* has_field(x, "name"): whether `x.name` can be written, so that a program can ask what this kernel's structs have. */
static const struct type *check_has_field(struct checker *c, struct ast *call)
{
	const char *name = check_text_argument(c, call, 1);
	const struct type *type = check_value(c, call->call.args);
	struct type_field field;
	bool has = false;

	if (!name || type->kind == TYPE_NONE)
		return type_bool();
	if (type->kind == TYPE_POINTER)
		type = type->of;
	for (uint32_t i = 0; i < type->n_fields && type->kind != TYPE_TUPLE; i++)
		has |= str_same(type->fields[i].name, name);
	if (type->kind == TYPE_STRUCT && ctypes_complete(c->program->types, type))
		has = ctypes_field(c->program->types, type, name, SPACE_NONE, &field);
	else if (type->kind != TYPE_RECORD && type->kind != TYPE_STRUCT)
		check_error(c, call->at, "has_field() expects something that has fields, not '%s'",
			    check_show(c, type));
	check_set_bool(call, has);
	return call->type;
}

FUNCTION(has_field, 2, 2, check_has_field, lower_nothing);

static const struct type *check_static_assert(struct checker *c, struct ast *call)
{
	struct ast *condition = call->call.args;
	const char *text = call->call.n > 1 ? check_text_argument(c, call, 1) : "";

	check_condition(c, condition);
	if (condition->type->kind == TYPE_NONE)
		return type_void();
	if (!condition->is_constant)
		check_error(c, condition->at, "the condition of static_assert() must be known before the program runs");
	else if (!condition->constant && !c->dead)
		check_error(c, call->at, "static assertion failed%s%s", text && *text ? ": " : "", str_or_empty(text));
	return type_void();
}

FUNCTION(static_assert, 1, 2, check_static_assert, lower_nothing, .is_statement = true);

static const struct type *check_assert_str(struct checker *c, struct ast *call)
{
	const struct type *type = check_value(c, call->call.args);

	if (type->kind != TYPE_NONE && !check_is_text(type))
		check_error(c, call->at, "this is not a string: '%s'", check_show(c, type));
	return type_void();
}

FUNCTION(assert_str, 1, 1, check_assert_str, lower_nothing, .is_statement = true);

static const struct type *check_default_str_length(struct checker *c, struct ast *call)
{
	check_set_integer(call, c->program->config.max_strlen, type_integer(8, false));
	return call->type;
}

FUNCTION(default_str_length, 0, 0, check_default_str_length, lower_nothing);

static const struct type *check_kfunc_exist(struct checker *c, struct ast *call)
{
	const char *name = check_text_argument(c, call, 0);

	check_set_bool(call, name && c->is_final && kernel_btf_has_func(name));
	return call->type;
}

FUNCTION(kfunc_exist, 1, 1, check_kfunc_exist, lower_nothing);

/* Always false: programs call no kfuncs here, so that they load on kernels that have none. */
static const struct type *check_kfunc_allowed(struct checker *c, struct ast *call)
{
	check_text_argument(c, call, 0);
	check_set_bool(call, false);
	return call->type;
}

FUNCTION(kfunc_allowed, 1, 1, check_kfunc_allowed, lower_nothing);
