// SPDX-License-Identifier: BSD-2-Clause
/* Calls: finds the function, counts its arguments, asks its row. What the checks of several functions need. */
#include "checker.h"

struct ast *check_argument(const struct ast *call, unsigned int n)
{
	struct ast *arg = call->call.args;

	while (arg && n--)
		arg = arg->next;
	return arg;
}

const char *check_text_argument(struct checker *c, struct ast *call, unsigned int n)
{
	struct ast *arg = check_argument(call, n);

	check_value(c, arg);
	check_as_text(c, arg);
	if (check_is_known_text(arg))
		return arg->text;
	if (arg->type->kind != TYPE_NONE)
		check_error(c, arg->at, "%s() expects a string literal here, '%s' provided", call->call.name,
			    check_show(c, arg->type));
	return NULL;
}

bool check_constant_argument(struct checker *c, struct ast *call, unsigned int n, int64_t *value)
{
	struct ast *arg = check_argument(call, n);
	const struct type *type = check_value(c, arg);

	if (arg->is_constant && type_is_integral(type)) {
		*value = arg->constant;
		return true;
	}
	if (type->kind != TYPE_NONE)
		check_error(c, arg->at, "%s() expects a number here that is known before the program runs",
			    call->call.name);
	return false;
}

void check_scalar_argument(struct checker *c, struct ast *call, const char *what)
{
	struct ast *arg = call->call.args;
	const struct type *type = check_value(c, arg);

	if (type->kind != TYPE_NONE && !type_is_scalar(type))
		check_error(c, arg->at, "%s() expects %s (%s provided)", call->call.name, what, check_show(c, type));
}

const struct type *check_scalar_call(struct checker *c, struct ast *call)
{
	check_scalar_argument(c, call, "an integer or a pointer");
	return type_simple(call->call.function->result);
}

const struct type *check_named_call(struct checker *c, struct ast *call)
{
	check_scalar_argument(c, call, "an integer or a pointer");
	return type_named(c->pool, &call->call.function->naming);
}

int check_word(struct checker *c, struct ast *call, const char *const *words, size_t n)
{
	const struct ast *arg = call->call.args;
	struct nearest nearest;

	if (arg->kind != AST_NAME) {
		check_error(c, arg->at, "%s() expects one of its words, as %s(%s)", call->call.name, call->call.name,
			    words[0]);
		return -1;
	}
	for (size_t i = 0; i < n; i++)
		if (!strcmp(words[i], arg->name.name))
			return i;
	check_error(c, arg->at, "Invalid argument of %s(): '%s'", call->call.name, arg->name.name);
	nearest_init(&nearest, arg->name.name);
	for (size_t i = 0; i < n; i++)
		nearest_offer(&nearest, words[i]);
	check_hint(c, arg->at, "did you mean '%s'?", nearest_name(&nearest) ? nearest_name(&nearest) : words[0]);
	return -1;
}

/* Whether the call may stand in this probe, with so many arguments. */
static bool check_call_shape(struct checker *c, struct ast *ast)
{
	const struct function *function = ast->call.function;
	uint32_t n = 0;

	for (const struct ast *arg = ast->call.args; arg; arg = arg->next)
		n++;
	ast->call.n = n;
	if (n < function->min_args || n > function->max_args) {
		if (function->min_args == function->max_args)
			check_error(c, ast->at, "%s() requires %u argument%s (%u provided)", function->name,
				    function->min_args, str_plural(function->min_args), n);
		else if (n < function->min_args)
			check_error(c, ast->at, "%s() requires at least %u argument%s (%u provided)", function->name,
				    function->min_args, str_plural(function->min_args), n);
		else
			check_error(c, ast->at, "%s() takes up to %u argument%s (%u provided)", function->name,
				    function->max_args, str_plural(function->max_args), n);
		return false;
	}
	if (function->probes && !(function->probes & 1U << c->probe->probe->kind)) {
		check_error(c, ast->at, "%s can not be used with \"%s\" probes", function->name,
			    lang_probe_kind_name(c->probe->probe->kind));
		if (function->hint)
			function->hint(c, ast);
		return false;
	}
	if (function->is_unsafe && !c->options->is_unsafe) {
		check_error(c, ast->at, "%s() is an unsafe function being used in safe mode", function->name);
		check_hint(c, ast->at, "--unsafe allows it");
		return false;
	}
	return true;
}

const struct type *check_aggregate(struct checker *c, struct ast *to, struct ast *call)
{
	const struct function *function = call->call.function;

	if (!check_call_shape(c, call))
		return type_none();
	if (call->call.n &&
	    !check_integer(c, call->call.args, pool_addf(c->pool, "the argument of %s()", function->name)))
		return type_none();
	return function->check(c, call);
}

static void check_unknown_function(struct checker *c, const struct ast *ast)
{
	const char *hint = function_hint(ast->call.name);
	struct nearest nearest;

	check_error(c, ast->at, "Unknown function: '%s'", ast->call.name);
	if (hint) {
		check_hint(c, ast->at, "%s", hint);
		return;
	}
	nearest_init(&nearest, ast->call.name);
	function_offer(&nearest, false);
	if (nearest_name(&nearest))
		check_hint(c, ast->at, "did you mean '%s'?", nearest_name(&nearest));
}

const struct type *check_call(struct checker *c, struct ast *ast)
{
	const struct function *function = function_find(ast->call.name);
	const char *name = ast->call.name;

	if (!ast->call.args && builtin_find(name)) { /* pid() is pid */
		ast->kind = AST_NAME;
		memset(&ast->name, 0, sizeof(ast->name));
		ast->name.name = name;
		return check_name(c, ast);
	}
	ast->call.function = function;
	if (!function) {
		check_unknown_function(c, ast);
		return type_none();
	}
	if (!check_call_shape(c, ast))
		return type_none();
	if (function->is_aggregate) {
		check_error(c, ast->at, "%s() must be assigned directly to a map", function->name);
		check_hint(c, ast->at, "@ = %s(%s);", function->name, function->max_args ? "x" : "");
		return type_none();
	}
	return function->check(c, ast);
}
