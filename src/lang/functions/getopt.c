// SPDX-License-Identifier: BSD-2-Clause
/* getopt("name", default, "description"): options of the program, given behind "--" as --name=value. */
#include "lang/check/checker.h"
#include "lang/lower/lowering.h"

/* The value that the user gave; "" for --name alone, NULL: the option was not given. */
static const char *getopt_value(const struct lang_options *options, const char *name)
{
	size_t len = strlen(name);

	for (size_t i = options->n_named; i-- > 0;) {
		const char *text = options->named[i] + 2 * !strncmp(options->named[i], "--", 2);

		if (!strncmp(text, name, len) && (!text[len] || text[len] == '='))
			return text[len] ? text + len + 1 : "";
	}
	return NULL;
}

/* Keeps name and description, for --help. */
static void getopt_remember(struct checker *c, const char *name, const char *description)
{
	for (size_t i = 0; i + 1 < c->program->options.n; i += 2)
		if (!strcmp(c->program->options.v[i], name)) {
			if (*description)
				c->program->options.v[i + 1] = description;
			return;
		}
	*(const char **)vec_push(&c->program->options) = name;
	*(const char **)vec_push(&c->program->options) = description;
}

static const struct type *getopt_bool(struct checker *c, struct ast *call, const char *name, const char *value,
				      bool otherwise)
{
	bool is_true = value && (!*value || !strcmp(value, "1") || !strcmp(value, "true"));

	if (value && !is_true && strcmp(value, "0") && strcmp(value, "false"))
		check_error(c, call->at, "--%s is true or false, not '%s'", name, value);
	check_set_bool(call, value ? is_true : otherwise);
	return call->type;
}

static const struct type *check_getopt(struct checker *c, struct ast *call)
{
	const char *name = check_text_argument(c, call, 0), *value;
	struct ast *otherwise = check_argument(call, 1);
	const char *description = call->call.n > 2 ? check_text_argument(c, call, 2) : "";
	long long number;
	char *end;

	if (!name)
		return type_none();
	getopt_remember(c, name, description ? description : "");
	value = getopt_value(c->options, name);
	if (!otherwise)
		return getopt_bool(c, call, name, value, false);
	check_value(c, otherwise);
	if (!otherwise->is_constant) {
		if (otherwise->type->kind != TYPE_NONE)
			check_error(c, otherwise->at,
				    "the default of getopt() must be a literal: a number, a string or a boolean");
		return type_none();
	}
	if (otherwise->type->kind == TYPE_BOOL)
		return getopt_bool(c, call, name, value, otherwise->constant);
	if (check_is_known_text(otherwise)) {
		check_set_text(c, call, value ? value : otherwise->text);
		return call->type;
	}
	errno = 0;
	number = value ? strtoll(value, &end, 0) : otherwise->constant;
	if (value && (end == value || *end || errno))
		check_error(c, call->at, "--%s is a number, not '%s'", name, value);
	check_set_integer(call, number, check_literal_type(number, false));
	return call->type;
}

FUNCTION(getopt, 1, 3, check_getopt, lower_nothing);
