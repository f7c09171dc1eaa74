// SPDX-License-Identifier: BSD-2-Clause
/* The type of each kind of expression: finds the part that knows it; literals, tuples and records are its own. */
#include "checker.h"

#define ELEMENTS_MAX 64 /* of a tuple or record */

static void check_add(struct checker *c, enum lang_severity severity, struct span at, const char *fmt, va_list ap)
{
	struct lang_messages *messages = &c->program->messages;
	char text[512];

	if (!c->is_final)
		return;
	vsnprintf(text, sizeof(text), fmt, ap);
	if (severity == LANG_ERROR)
		lang_error(messages, at, "%s", text);
	else if (severity == LANG_WARNING)
		lang_warning(messages, at, "%s", text);
	else
		lang_hint(messages, at, "%s", text);
}

void check_error(struct checker *c, struct span at, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	check_add(c, LANG_ERROR, at, fmt, ap);
	va_end(ap);
}

void check_warning(struct checker *c, struct span at, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	check_add(c, LANG_WARNING, at, fmt, ap);
	va_end(ap);
}

void check_hint(struct checker *c, struct span at, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	check_add(c, LANG_HINT, at, fmt, ap);
	va_end(ap);
}

const char *check_show(struct checker *c, const struct type *type)
{
	__str struct str text = {};

	type_show(type, &text);
	return pool_add(c->pool, str_or_empty(text.data));
}

void check_set_integer(struct ast *ast, int64_t value, const struct type *type)
{
	ast->is_constant = true;
	ast->constant = value;
	ast->text = NULL;
	ast->type = type;
}

void check_set_bool(struct ast *ast, bool value)
{
	check_set_integer(ast, value, type_bool());
}

void check_set_text(struct checker *c, struct ast *ast, const char *text)
{
	ast->is_constant = true;
	ast->text = text;
	ast->type = type_string(c->pool, strlen(text) + 1);
}

bool check_is_known_text(const struct ast *ast)
{
	return ast->is_constant && ast->text && ast->type->kind == TYPE_STRING;
}

static const struct type *check_elements(struct checker *c, struct ast *ast, bool is_record)
{
	struct type_field fields[ELEMENTS_MAX] = {};
	uint32_t n = 0;
	bool is_known = true;

	for (struct ast *element = ast->list.first; element; element = element->next) {
		struct ast *value = element->kind == AST_NAMED ? element->named.value : element;

		if (n == ELEMENTS_MAX) {
			check_error(c, element->at, "a tuple has at most %d elements", ELEMENTS_MAX);
			return type_none();
		}
		fields[n].name = element->kind == AST_NAMED ? element->named.name : NULL;
		fields[n].type = check_value(c, value);
		element->type = fields[n].type;
		if (fields[n].type->kind == TYPE_VOID)
			check_error(c, value->at, "this has no value, and cannot be an element of a tuple");
		for (uint32_t i = 0; is_record && i < n; i++)
			if (str_same(fields[i].name, fields[n].name))
				check_error(c, element->at, "the record has two members named '%s'", fields[n].name);
		is_known &= fields[n].type->kind != TYPE_NONE && fields[n].type->kind != TYPE_VOID;
		n++;
	}
	return is_known ? type_tuple(c->pool, fields, n, is_record) : type_none();
}

static const struct type *check_any(struct checker *c, struct ast *ast)
{
	switch (ast->kind) {
	case AST_INTEGER:
		check_set_integer(ast, ast->integer.value,
				  check_literal_type(ast->integer.value, ast->integer.is_unsigned));
		return ast->type;
	case AST_BOOL:
		check_set_bool(ast, ast->integer.value);
		return ast->type;
	case AST_STRING:
		check_set_text(c, ast, ast->string.text);
		return ast->type;
	case AST_POSITIONAL:
		return check_positional(c, ast);
	case AST_NAME:
		return check_name(c, ast);
	case AST_VARIABLE:
		return check_variable(c, ast);
	case AST_MAP:
		return check_map(c, ast);
	case AST_CALL:
		return check_call(c, ast);
	case AST_UNARY:
		return check_unary(c, ast);
	case AST_BINARY:
		return check_binary(c, ast);
	case AST_TERNARY:
		return check_ternary(c, ast);
	case AST_FIELD:
		return check_field(c, ast);
	case AST_INDEX:
		return check_index(c, ast);
	case AST_CAST:
		return check_cast(c, ast);
	case AST_TYPEOF:
		check_error(c, ast->at, "a type is no value: only a macro takes one as an argument");
		return type_none();
	case AST_SIZEOF:
		return check_sizeof(c, ast);
	case AST_OFFSETOF:
		return check_offsetof(c, ast);
	case AST_TUPLE:
		return check_elements(c, ast, false);
	case AST_RECORD:
		return check_elements(c, ast, true);
	case AST_BLOCK:
		return check_block(c, ast);
	case AST_ASSIGN:
		return check_assign(c, ast);
	case AST_STEP:
		return check_step(c, ast);
	case AST_IF:
	case AST_IF_COMPTIME:
		return check_if(c, ast);
	default:
		return type_none();
	}
}

const struct type *check_expression(struct checker *c, struct ast *ast)
{
	const struct type *type;

	ast->is_constant = false;
	type = check_any(c, ast);
	ast->type = type;
	return type;
}

const struct type *check_value(struct checker *c, struct ast *ast)
{
	check_expression(c, ast);
	return check_read(c, ast);
}

const struct type *check_read(struct checker *c, struct ast *ast)
{
	const struct type *type = ast->type, *read;

	if (!type_is_aggregate(type))
		return type;
	read = check_aggregate_read(type);
	if (!read)
		check_error(c, ast->at,
			    "the value of a map of type '%s' can only be printed, not used in an expression",
			    check_show(c, type));
	ast->type = read ? read : type_none();
	return ast->type;
}

void check_condition(struct checker *c, struct ast *ast)
{
	const struct type *type = check_value(c, ast);
	struct ast *left, *right;

	if (type->kind == TYPE_NONE || type_is_scalar(type))
		return;
	if (type->kind != TYPE_STRING) {
		check_error(c, ast->at, "a condition must be an integer, a pointer or a string, not '%s'",
			    check_show(c, type));
		return;
	}
	/* A string is true if it is not empty: x becomes x != "". */
	left = pool_alloc(c->pool, sizeof(*left));
	right = pool_alloc(c->pool, sizeof(*right));
	*left = *ast;
	left->next = NULL;
	*right = (struct ast){ .kind = AST_STRING, .at = ast->at, .string = { .text = "" } };
	check_set_text(c, right, "");
	*ast = (struct ast){ .kind = AST_BINARY, .at = ast->at, .next = ast->next, .type = type_bool() };
	ast->binary.op = OP_NE;
	ast->binary.left = left;
	ast->binary.right = right;
	if (left->is_constant)
		check_set_bool(ast, *left->text);
}

bool check_integer(struct checker *c, struct ast *ast, const char *what)
{
	const struct type *type = check_value(c, ast);

	if (type->kind == TYPE_NONE)
		return false;
	if (type_is_integral(type))
		return true;
	check_error(c, ast->at, "%s must be an integer, not '%s'", what, check_show(c, type));
	return false;
}

/* --- comparisons that are always the same --- */

static bool is_never_negative(const struct ast *ast)
{
	return !ast->is_constant && ast->type->kind != TYPE_BOOL && !ast->type->is_signed;
}

/* A 0 that somebody wrote: not a macro's argument such as (uint64)0, nor an option's value. */
static bool is_zero(const struct ast *ast)
{
	return ast->kind == AST_INTEGER && ast->is_constant && !ast->constant;
}

void check_warn_never_negative(struct checker *c, const struct ast *ast)
{
	const struct ast *left = ast->binary.left, *right = ast->binary.right, *number;
	bool is_below = ast->binary.op == OP_LT || ast->binary.op == OP_GE;

	if (!is_below && ast->binary.op != OP_GT && ast->binary.op != OP_LE)
		return;
	number = is_below ? left : right;
	if (is_never_negative(number) && is_zero(is_below ? right : left))
		check_warning(c, ast->at, "'%s' is never negative: cast it, as in (int64), to compare it with 0",
			      check_show(c, number->type));
}
