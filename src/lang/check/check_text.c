// SPDX-License-Identifier: BSD-2-Clause
/*
 * Arguments that are text: strings, arrays of bytes, pointers to bytes, which are read as by str(), and the names of
 * places: those that a program works on are in memory, by the numbers of the places.
 */
#include "checker.h"

/* A program of more places would need more memory than their texts are worth. */
#define TEXTS_MAX (1024 * 1024)

bool check_is_place(const struct type *type)
{
	return type->kind == TYPE_PROBE || type->kind == TYPE_FUNCTION;
}

static const char *text_of_place(const struct lang_place *place, enum type_kind kind)
{
	return kind == TYPE_PROBE ? place->probe : str_or_empty(place->function);
}

/* The bytes of the longest text, with its NUL, in whole words. */
static uint32_t size_of_texts(const struct checker *c, enum type_kind kind)
{
	size_t longest = 0;

	vec_each(place, &c->program->places) {
		size_t len = strlen(text_of_place(place, kind));

		longest = len > longest ? len : longest;
	}
	return longest / 8 * 8 + 8;
}

const struct type *check_place_text(struct checker *c, struct ast *call)
{
	const struct ast *arg = call->call.args;
	const struct lang_probe *probe = c->probe->probe;
	enum type_kind kind = arg->type->kind;
	uint32_t size = size_of_texts(c, kind);

	if (arg->kind == AST_NAME && probe->n_places == 1) {
		check_set_text(c, call, text_of_place(&c->program->places.v[probe->first_place], kind));
		return call->type;
	}
	if ((uint64_t)size * c->program->places.n > TEXTS_MAX)
		check_error(c, arg->at,
			    "the texts of %zu places take too much memory: compare %s by == and !=, or name fewer places",
			    c->program->places.n, kind == TYPE_PROBE ? "probe" : "func");
	else if (c->is_final)
		(kind == TYPE_PROBE ? &c->program->probe_texts : &c->program->function_texts)->size = size;
	return type_string(c->pool, size);
}

void check_texts_finish(struct checker *c)
{
	struct lang_program *program = c->program;
	struct lang_place_texts *both[] = { &program->probe_texts, &program->function_texts };

	for (size_t i = 0; i < ARRAY_SIZE(both); i++) {
		both[i]->at = program->cells_size;
		program->cells_size += both[i]->size ? both[i]->size * (program->places.n + 1) : 0;
	}
}

/* Makes str(arg), whose type is not known yet. */
static struct ast *check_make_str(struct checker *c, struct ast *arg)
{
	struct ast *operand = pool_alloc(c->pool, sizeof(*operand));

	*operand = *arg;
	operand->next = NULL;
	arg->kind = AST_CALL;
	arg->is_constant = false;
	memset(&arg->call, 0, sizeof(arg->call));
	arg->call.name = "str";
	arg->call.function = function_find("str");
	arg->call.args = operand;
	arg->call.n = 1;
	return operand;
}

void check_wrap_place(struct checker *c, struct ast *arg)
{
	check_make_str(c, arg);
	arg->type = check_place_text(c, arg);
}

/* Makes str(arg) of a pointer. */
static void check_wrap_str(struct checker *c, struct ast *arg)
{
	const struct ast *pointer = check_make_str(c, arg);
	uint32_t size = pointer->type->kind == TYPE_ARRAY ? pointer->type->size + 1 : c->program->config.max_strlen;
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
	if (check_is_place(type)) {
		check_wrap_place(c, arg);
		return true;
	}
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
