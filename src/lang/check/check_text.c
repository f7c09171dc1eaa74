// SPDX-License-Identifier: BSD-2-Clause
/* Arguments that are text: strings, arrays of bytes, and pointers to bytes, which are read as by str(). */
#include "checker.h"

/* The place has one text where the probe has one place. */
static bool check_place_text(struct checker *c, struct ast *arg)
{
	const struct lang_probe *probe = c->probe->probe;

	if (probe->n_places == 1) {
		const struct lang_place *place = &c->program->places.v[probe->first_place];

		check_set_text(c, arg, arg->type->kind == TYPE_PROBE ? place->probe : str_or_empty(place->function));
		return true;
	}
	check_error(c, arg->at,
		    "the text of %s is made where it is printed: a program can only compare it by == and !=",
		    arg->type->kind == TYPE_PROBE ? "probe" : "func");
	return false;
}

/* Makes str(arg) of a pointer. */
static void check_wrap_str(struct checker *c, struct ast *arg)
{
	struct ast *pointer = pool_alloc(c->pool, sizeof(*pointer));
	uint32_t size;

	*pointer = *arg;
	pointer->next = NULL;
	arg->kind = AST_CALL;
	memset(&arg->call, 0, sizeof(arg->call));
	arg->call.name = "str";
	arg->call.function = function_find("str");
	arg->call.args = pointer;
	arg->call.n = 1;
	size = pointer->type->kind == TYPE_ARRAY ? pointer->type->size + 1 : c->program->config.max_strlen;
	arg->type = type_string(c->pool, size < c->program->config.max_strlen ? size : c->program->config.max_strlen);
}

bool check_text(struct checker *c, struct ast *call, unsigned int n)
{
	struct ast *arg = check_argument(call, n);
	const struct type *type;

	check_value(c, arg);
	check_as_text(c, arg);
	type = arg->type;
	if (type->kind == TYPE_NONE)
		return false;
	if (type->kind == TYPE_PROBE || type->kind == TYPE_FUNCTION)
		return check_place_text(c, arg);
	if (type->kind == TYPE_STRING)
		return true;
	if (check_is_text(type) ||
	    (type->kind == TYPE_POINTER && (type->of->size == 1 || type->of->kind == TYPE_VOID))) {
		check_wrap_str(c, arg);
		return true;
	}
	check_error(c, arg->at, "%s() expects a string here (%s provided)", call->call.name, check_show(c, type));
	if (type_is_scalar(type))
		check_hint(c, arg->at, "str() reads the text at an address");
	return false;
}
