// SPDX-License-Identifier: BSD-2-Clause
/* Functions that work on text: comparing, searching, cutting. */
#include "check_part.h"

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

/* An argument that is text: a string, an array of bytes, or what a pointer to bytes points to. */
static bool check_text(struct checker *c, struct ast *call, unsigned int n)
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

static bool check_both(struct checker *c, struct ast *call)
{
	bool first = check_text(c, call, 0), second = check_text(c, call, 1);

	return first && second;
}

static const struct type *check_strncmp(struct checker *c, struct ast *call)
{
	const struct ast *a = check_argument(call, 0), *b = check_argument(call, 1);
	int64_t n = 0;
	bool texts = check_both(c, call), length = check_constant_argument(c, call, 2, &n);

	if (!texts || !length)
		return type_integer(8, true);
	if (n < 0)
		check_error(c, check_argument(call, 2)->at, "strncmp() cannot use negative length (%lld)",
			    (long long)n);
	else if (check_is_known_text(a) && check_is_known_text(b))
		check_set_integer(call, strncmp(a->text, b->text, n), type_integer(8, true));
	return type_integer(8, true);
}

static const struct type *check_strlen(struct checker *c, struct ast *call)
{
	const struct ast *arg = check_argument(call, 0);

	if (check_text(c, call, 0) && check_is_known_text(arg))
		check_set_integer(call, strlen(arg->text), type_integer(8, false));
	return type_integer(8, false);
}

/* How many bytes the text can have. */
static const struct type *check_strcap(struct checker *c, struct ast *call)
{
	const struct type *type = check_value(c, check_argument(call, 0));
	int64_t size = type->size;

	if (type->kind == TYPE_NONE)
		return type;
	if (type->kind == TYPE_POINTER)
		size = c->program->config.max_strlen;
	else if (!check_is_text(type))
		check_error(c, call->at, "strcap() expects a string (%s provided)", check_show(c, type));
	check_set_integer(call, size, type_integer(8, true));
	return call->type;
}

static const struct type *check_memcmp(struct checker *c, struct ast *call)
{
	int64_t n = 0;

	for (unsigned int i = 0; i < 2; i++) {
		struct ast *arg = check_argument(call, i);
		const struct type *type = check_value(c, arg);

		if (type->kind != TYPE_NONE && type->kind != TYPE_POINTER && type->kind != TYPE_ARRAY &&
		    type->kind != TYPE_STRING && type->kind != TYPE_STRUCT)
			check_error(c, arg->at,
				    "memcmp() expects memory: a pointer, an array or a string (%s provided)",
				    check_show(c, type));
	}
	if (!check_constant_argument(c, call, 2, &n))
		return type_integer(4, true);
	if (n < 0 || n > c->program->config.max_strlen)
		check_error(c, check_argument(call, 2)->at, "memcmp() compares at most max_strlen bytes, which is %u",
			    c->program->config.max_strlen);
	for (unsigned int i = 0; i < 2; i++) {
		struct ast *arg = check_argument(call, i);

		if (arg->type->kind != TYPE_NONE && arg->type->kind != TYPE_POINTER && n > arg->type->size)
			check_error(c, arg->at, "memcmp() cannot compare %lld bytes of %s, which has %u",
				    (long long)n, check_show(c, arg->type), arg->type->size);
	}
	return type_integer(4, true);
}

/* A part of a text is at most as long as the text. */
static const struct type *check_part(struct checker *c, struct ast *call, unsigned int n_texts)
{
	for (unsigned int i = n_texts; i < call->call.n; i++)
		check_integer(c, check_argument(call, i), "a position or length");
	for (unsigned int i = 0; i < n_texts; i++)
		if (!check_text(c, call, i))
			return type_none();
	return type_string(c->pool, check_argument(call, 0)->type->size);
}

const struct type *check_call_text(struct checker *c, struct ast *call)
{
	switch (call->call.function->id) {
	case FUNCTION_STRNCMP:
		return check_strncmp(c, call);
	case FUNCTION_STRCMP:
	case FUNCTION_STRSTR:
	case FUNCTION_INDEX:
		check_both(c, call);
		return type_integer(8, true);
	case FUNCTION_STRCONTAINS:
	case FUNCTION_GLOBMATCH:
		check_both(c, call);
		return type_bool();
	case FUNCTION_STRLEN:
		return check_strlen(c, call);
	case FUNCTION_STRCAP:
		return check_strcap(c, call);
	case FUNCTION_MEMCMP:
		return check_memcmp(c, call);
	case FUNCTION_STRTOK:
		return check_part(c, call, 2);
	default: /* substr, basename, dirname */
		return check_part(c, call, 1);
	}
}
