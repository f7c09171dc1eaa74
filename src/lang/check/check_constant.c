// SPDX-License-Identifier: BSD-2-Clause
/* What is known before the program runs: arithmetic on constants, sizes, offsets, positional parameters. */
#include "checker.h"

#include <ctype.h>

int64_t check_truncate(int64_t value, const struct type *type)
{
	if (type->kind == TYPE_BOOL)
		return value != 0;
	switch (type->size) {
	case 1:
		return type->is_signed ? (int64_t)(int8_t)value : (uint8_t)value;
	case 2:
		return type->is_signed ? (int64_t)(int16_t)value : (uint16_t)value;
	case 4:
		return type->is_signed ? (int64_t)(int32_t)value : (uint32_t)value;
	default:
		return value;
	}
}

const struct type *check_sizeof(struct checker *c, struct ast *ast)
{
	const struct type *type = ast->cast.as_type			      ? check_written_type(c, ast->cast.as_type)
				  : check_type_argument(c, ast->cast.operand) ?
									      : check_expression(c, ast->cast.operand);

	if (type->kind == TYPE_NONE)
		return type;
	if (type->kind == TYPE_STRUCT)
		ctypes_complete(c->program->types, type);
	if (!type->size)
		check_error(c, ast->at, "the size of '%s' is not known: it is only declared", check_show(c, type));
	check_set_integer(ast, type->size, type_integer(8, false));
	return ast->type;
}

const struct type *check_offsetof(struct checker *c, struct ast *ast)
{
	const struct type *type = ast->offsetof.of_type			     ? check_written_type(c, ast->offsetof.of_type)
				  : check_type_argument(c, ast->offsetof.of) ?
									     : check_expression(c, ast->offsetof.of);
	const char *path = ast->offsetof.path;
	uint64_t at = 0;

	while (*path && type->kind != TYPE_NONE) {
		size_t len = strcspn(path, ".");
		char name[128];
		struct type_field field;

		snprintf(name, sizeof(name), "%.*s", (int)len, path);
		if (type->kind == TYPE_POINTER)
			type = type->of;
		if (type->kind != TYPE_STRUCT ||
		    !ctypes_field(c->program->types, type, name, SPACE_NONE, &field)) {
			check_error(c, ast->at, "'%s' has no member named '%s'", check_show(c, type), name);
			return type_none();
		}
		at += field.at;
		type = field.type;
		path += len + (path[len] == '.');
	}
	if (type->kind == TYPE_NONE)
		return type;
	check_set_integer(ast, at, type_integer(8, false));
	return ast->type;
}

/* A number in any of the language's bases, with '_' and a sign; false: it is text. */
static bool check_parse_number(const char *text, int64_t *value, bool *is_unsigned)
{
	char digits[72];
	size_t n = 0;
	char *end;
	bool is_negative = *text == '-';

	if (!isdigit((unsigned char)text[is_negative]))
		return false;
	for (const char *p = text + is_negative; *p && n < sizeof(digits) - 1; p++)
		if (*p != '_')
			digits[n++] = *p;
	digits[n] = 0;
	errno = 0;
	*value = strtoull(digits, &end, 0);
	*is_unsigned = *value < 0 && !is_negative;
	if (is_negative)
		*value = -(uint64_t)*value;
	return !*end && !errno;
}

const struct type *check_positional(struct checker *c, struct ast *ast)
{
	int64_t n = ast->integer.value, value = 0;
	bool is_unsigned = false;
	const char *text;

	if (!n) {
		check_set_integer(ast, c->options->n_positional, check_literal_type(c->options->n_positional, false));
		return ast->type;
	}
	text = n <= (int64_t)c->options->n_positional ? c->options->positional[n - 1] : NULL;
	if (text && !check_parse_number(text, &value, &is_unsigned)) {
		check_set_text(c, ast, text);
		return ast->type;
	}
	check_set_integer(ast, value, check_literal_type(value, is_unsigned));
	return ast->type;
}

void check_as_text(struct checker *c, struct ast *ast)
{
	int64_t n = ast->integer.value;

	if (ast->kind == AST_POSITIONAL && n && type_is_integral(ast->type))
		check_set_text(c, ast, n <= (int64_t)c->options->n_positional ? c->options->positional[n - 1] : "");
}
