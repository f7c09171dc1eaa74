// SPDX-License-Identifier: BSD-2-Clause
/* Names that stand for values: builtins in the probe that is checked, constants of enums. */
#include <ctype.h>

#include "checker.h"
#include "lang/text/preprocess_constants.h"

const struct type *check_kernel_pointer(struct checker *c, const char *name, enum type_space space)
{
	struct err err = {};
	const struct type *of = ctypes_find(c->program->types, CTYPE_STRUCT, name, &err);

	return type_pointer(c->pool, of ? of : type_void(), space);
}

const struct type *check_uint32(struct checker *c, struct ast *ast)
{
	return type_integer(4, false);
}

const struct type *check_uint64(struct checker *c, struct ast *ast)
{
	return type_integer(8, false);
}

const struct type *check_comm_name(struct checker *c, struct ast *ast)
{
	return type_string(c->pool, 16);
}

const struct type *check_simple(struct checker *c, struct ast *ast)
{
	return type_simple(ast->name.builtin->result);
}

/* A constant is a #define, which the kernel's BTF does not have. False: there is nothing to say. */
static bool check_hint_constant(struct checker *c, const struct ast *ast)
{
	struct constant constant;

	if (preprocess_constant(ast->name.name, &constant)) {
		check_hint(c, ast->at, "it is a constant of <%s>: begin the program with #include <%s>",
			   constant.header, constant.header);
		return true;
	}
	if (!c->ast->unread || !c->is_final || !isupper(ast->name.name[0]))
		return false;
	check_hint(c, c->ast->unread_at,
		   "<%s> is not read: types and enums come from the kernel itself, #defines such as %s do not exist",
		   c->ast->unread, ast->name.name);
	check_hint(c, ast->at, "write #define %s with its value", ast->name.name);
	c->ast->unread = NULL; /* is said once */
	return true;
}

static void check_unknown_name(struct checker *c, const struct ast *ast)
{
	struct nearest nearest;

	check_error(c, ast->at, "Unknown identifier: '%s'", ast->name.name);
	if (check_hint_constant(c, ast))
		return;
	if (function_hint(ast->name.name)) {
		check_hint(c, ast->at, "%s", function_hint(ast->name.name));
		return;
	}
	nearest_init(&nearest, ast->name.name);
	function_offer(&nearest, true);
	if (nearest_name(&nearest))
		check_hint(c, ast->at, "did you mean '%s'?", nearest_name(&nearest));
}

const struct type *check_name(struct checker *c, struct ast *ast)
{
	const struct function *builtin = builtin_find(ast->name.name);
	const struct function *function;
	const struct type *type;
	int64_t value;

	ast->name.builtin = builtin;
	if (builtin) {
		if (!builtin->probes || builtin->probes & 1U << c->probe->probe->kind)
			return builtin->check(c, ast);
		check_error(c, ast->at, "%s can not be used with '%s' probes", builtin->name,
			    lang_probe_kind_name(c->probe->probe->kind));
		if (builtin->hint)
			builtin->hint(c, ast);
		return type_none();
	}
	function = function_find(ast->name.name);
	if (function && !function->min_args) { /* `exit` is exit() */
		const char *name = ast->name.name;

		ast->kind = AST_CALL;
		memset(&ast->call, 0, sizeof(ast->call));
		ast->call.name = name;
		return check_call(c, ast);
	}
	if (function) {
		check_error(c, ast->at, "%s is a function: it needs arguments, as %s(...)", function->name,
			    function->name);
		return type_none();
	}
	if (!ctypes_find_value(c->program->types, ast->name.name, &value, &type)) {
		check_unknown_name(c, ast);
		return type_none();
	}
	check_set_integer(ast, value, type ? type : check_literal_type(value, false));
	return ast->type;
}
