// SPDX-License-Identifier: BSD-2-Clause
/* What expressions are made of: literals, names, calls, tuples, sizeof and its kin, if and blocks as values. */
#include "parse_part.h"

static bool is_operator(const struct token *token, const char *text)
{
	return token->kind == TOKEN_OPERATOR && !strcmp(token->text, text);
}

static struct ast *parse_integer(struct parser *p)
{
	struct token token = parse_take(p);
	struct ast *node = parse_node(p, AST_INTEGER, token.at);

	node->integer.value = token.value;
	node->integer.is_unsigned = token.value > INT64_MAX;
	return parse_seal(p, node);
}

/* Strings beside each other are one, as in C: RED "text". */
static struct ast *parse_string(struct parser *p)
{
	struct ast *node = parse_node(p, AST_STRING, parse_peek(p, 0)->at);
	struct str text __str = {};
	char *copy;

	while (parse_peek(p, 0)->kind == TOKEN_STRING) {
		struct token token = parse_take(p);

		str_addn(&text, token.text, token.len);
	}
	copy = pool_alloc(p->pool, text.len + 1);
	if (text.len)
		memcpy(copy, text.data, text.len);
	node->string.text = copy;
	node->string.len = text.len;
	return parse_seal(p, node);
}

static struct ast *parse_map(struct parser *p)
{
	struct token token = parse_take(p);
	struct ast *node = parse_node(p, AST_MAP, token.at);
	uint32_t n;

	node->map.name = token.text;
	if (!parse_accept(p, "["))
		return parse_seal(p, node);
	if (parse_is(p, "]"))
		parse_fail(p, p->last, "expected a key between [ and ]; a map without a key is just %s", token.text);
	node->map.keys = parse_list(p, "]", "in the key of a map", &n);
	return parse_seal(p, node);
}

/*
 * The argument of a macro may be a type: "struct task_struct", "uint8 *". A type of one word is an AST_NAME, for it may
 * be something else. NULL: the next argument is an expression.
 */
static struct ast *parse_type_argument(struct parser *p)
{
	struct ast *node;

	if (!parse_is_type(p, 0) || is_operator(parse_peek(p, 1), ",") || is_operator(parse_peek(p, 1), ")") ||
	    is_operator(parse_peek(p, 1), "]"))
		return NULL;
	node = parse_node(p, AST_TYPEOF, parse_peek(p, 0)->at);
	node->cast.as_type = parse_type(p);
	return parse_seal(p, node);
}

struct ast *parse_list(struct parser *p, const char *close, const char *what, uint32_t *n)
{
	struct ast *first = NULL, **last = &first;

	*n = 0;
	while (!p->failed && !parse_is(p, close)) {
		*last = parse_type_argument(p) ?: parse_expression(p);
		last = &(*last)->next;
		++*n;
		if (!parse_accept(p, ","))
			break;
		if (parse_is(p, close) && strcmp(close, ")"))
			parse_fail_expected(p, "an expression after ','");
	}
	if (!parse_accept(p, close)) {
		char *expected __free = base_printf("',' or '%s' %s", close, what);

		parse_fail_expected(p, expected);
	}
	return first;
}

/* --- in parentheses --- */

/* (name=value, ...) */
static struct ast *parse_record(struct parser *p, struct span at)
{
	struct ast *node = parse_node(p, AST_RECORD, at), **last = &node->list.first;

	while (!p->failed && !parse_is(p, ")")) {
		struct ast *member = parse_node(p, AST_NAMED, parse_peek(p, 0)->at);

		if (parse_peek(p, 0)->kind != TOKEN_NAME || !is_operator(parse_peek(p, 1), "=")) {
			parse_fail_expected(p, "NAME=VALUE: a record's values all have names");
			break;
		}
		member->named.name = parse_take(p).text;
		parse_take(p);
		member->named.value = parse_expression(p);
		*last = parse_seal(p, member);
		last = &(*last)->next;
		node->list.n++;
		if (!parse_accept(p, ","))
			break;
	}
	parse_expect(p, ")", "after the values of a record");
	return parse_seal(p, node);
}

/* (x) is x; (x,) and (x, y) are tuples, and so is (). */
static struct ast *parse_parentheses(struct parser *p)
{
	struct span at = parse_take(p).at;
	struct ast *node, *first, **last;

	if (parse_peek(p, 0)->kind == TOKEN_NAME && is_operator(parse_peek(p, 1), "="))
		return parse_record(p, at);
	node = parse_node(p, AST_TUPLE, at);
	if (parse_accept(p, ")"))
		return parse_seal(p, node);
	first = parse_expression(p);
	if (!parse_is(p, ",")) {
		parse_expect(p, ")", "after the expression in parentheses");
		first->at = parse_since(p, at);
		return first;
	}
	node->list.first = first;
	node->list.n = 1;
	for (last = &first->next; parse_accept(p, ",") && !parse_is(p, ")"); node->list.n++) {
		*last = parse_expression(p);
		last = &(*last)->next;
	}
	if (!parse_accept(p, ")"))
		parse_fail_expected(p, "',' or ')' in a tuple");
	return parse_seal(p, node);
}

/* --- words --- */

static struct ast *parse_sizeof(struct parser *p)
{
	struct ast *node = parse_node(p, AST_SIZEOF, parse_take(p).at);

	if (!parse_expect(p, "(", "after sizeof"))
		return node;
	if (parse_is_type(p, 0))
		node->cast.as_type = parse_type(p);
	else
		node->cast.operand = parse_expression(p);
	parse_expect(p, ")", "after what sizeof is of");
	return parse_seal(p, node);
}

/* "a.b.c", after a ','. */
static const char *parse_path(struct parser *p, const char *before)
{
	struct str path __str = {};

	parse_expect(p, ",", before);
	do {
		if (parse_peek(p, 0)->kind != TOKEN_NAME) {
			parse_fail_expected(p, "a field's name");
			break;
		}
		if (path.len)
			str_addc(&path, '.');
		str_add(&path, parse_take(p).text);
	} while (parse_accept(p, "."));
	return pool_add(p->pool, str_or_empty(path.data));
}

static struct ast *parse_offsetof(struct parser *p)
{
	struct ast *node = parse_node(p, AST_OFFSETOF, parse_take(p).at);

	if (!parse_expect(p, "(", "after offsetof"))
		return node;
	if (parse_is_type(p, 0))
		node->offsetof.of_type = parse_type(p);
	else
		node->offsetof.of = parse_expression(p);
	node->offsetof.path = parse_path(p, "between the type and the field of offsetof");
	parse_expect(p, ")", "after the field of offsetof");
	return parse_seal(p, node);
}

static struct ast *parse_cast_to(struct parser *p, struct ast_type *type, struct ast *operand, struct span at)
{
	struct ast *node = parse_node(p, AST_CAST, at);

	node->cast.as_type = type;
	node->cast.operand = operand;
	return parse_seal(p, node);
}

/* container_of(pointer, struct T, member): (struct T *)((uint8 *)pointer - offsetof(struct T, member)). */
static struct ast *parse_container_of(struct parser *p)
{
	struct span at = parse_take(p).at;
	struct ast *offset = parse_node(p, AST_OFFSETOF, at), *distance = parse_node(p, AST_BINARY, at);
	struct ast_type *bytes = pool_alloc(p->pool, sizeof(*bytes)), *type;
	struct ast *pointer;

	parse_expect(p, "(", "after container_of");
	pointer = parse_expression(p);
	parse_expect(p, ",", "between the pointer and the type of container_of");
	offset->offsetof.of_type = parse_type(p);
	offset->offsetof.path = parse_path(p, "between the type and the field of container_of");
	parse_expect(p, ")", "after the field of container_of");
	type = (struct ast_type *)pool_copy(p->pool, offset->offsetof.of_type, sizeof(*type));
	type->pointers++;
	*bytes = (struct ast_type){ .at = at, .name = "uint8", .pointers = 1 };
	distance->binary.op = OP_SUB;
	distance->binary.left = parse_cast_to(p, bytes, pointer, at);
	distance->binary.right = parse_seal(p, offset);
	return parse_cast_to(p, type, parse_seal(p, distance), at);
}

static struct ast *parse_call(struct parser *p, struct token name)
{
	struct ast *node = parse_node(p, AST_CALL, name.at);

	node->call.name = name.text;
	parse_take(p);
	node->call.args = parse_list(p, ")", "in the arguments of a call", &node->call.n);
	return parse_seal(p, node);
}

/* if as a value: its arms are blocks with values. */
static struct ast *parse_if_value(struct parser *p)
{
	struct ast *node = parse_if(p);

	if (!p->failed && !parse_make_value(node))
		parse_fail(p, node->at,
			   "this 'if' stands for a value: both of its blocks must end with an expression without ';'");
	return node;
}

static struct ast *parse_word(struct parser *p)
{
	struct token token = *parse_peek(p, 0);
	struct ast *node;

	if (!strcmp(token.text, "sizeof"))
		return parse_sizeof(p);
	if (!strcmp(token.text, "offsetof"))
		return parse_offsetof(p);
	if (!strcmp(token.text, "container_of") && is_operator(parse_peek(p, 1), "("))
		return parse_container_of(p);
	if (!strcmp(token.text, "if"))
		return parse_if_value(p);
	if (!strcmp(token.text, "comptime")) {
		/* The checker computes what it can in any case. */
		parse_take(p);
		return parse_unary(p);
	}
	/* `config` is a value, too */
	if (parse_is_keyword(token.text) && strcmp(token.text, "config")) {
		parse_fail(p, token.at, "expected an expression, not the keyword '%s'", token.text);
		return parse_node(p, AST_INTEGER, token.at);
	}
	parse_take(p);
	if (parse_is(p, "("))
		return parse_call(p, token);
	if (!strcmp(token.text, "true") || !strcmp(token.text, "false")) {
		node = parse_node(p, AST_BOOL, token.at);
		node->integer.value = token.text[0] == 't';
	} else {
		node = parse_node(p, AST_NAME, token.at);
		node->name.name = token.text;
	}
	return parse_seal(p, node);
}

/* Counts names, for they are searched one by one. */
static void note_variable(struct parser *p, const struct token *token)
{
	struct parse_name *name = parse_name(p, token->text);

	p->n_variables += !name->is_variable;
	name->is_variable = true;
	if (p->n_variables > PARSE_MAX_VARIABLES)
		parse_fail(p, token->at, "the program has more than %d variables", PARSE_MAX_VARIABLES);
}

void parse_note_positional(struct parser *p, size_t number)
{
	size_t n = number ? number : SIZE_MAX;

	if (n > p->program->n_positional)
		p->program->n_positional = n;
}

static struct ast *parse_leaf(struct parser *p, enum ast_kind kind)
{
	struct token token = parse_take(p);
	struct ast *node = parse_node(p, kind, token.at);

	if (kind == AST_VARIABLE) {
		node->variable.name = token.text;
		note_variable(p, &token);
	} else {
		node->integer.value = token.value;
		parse_note_positional(p, token.value);
	}
	return parse_seal(p, node);
}

struct ast *parse_primary(struct parser *p)
{
	const struct token *token = parse_peek(p, 0);

	switch (token->kind) {
	case TOKEN_INTEGER:
		return parse_integer(p);
	case TOKEN_STRING:
		return parse_string(p);
	case TOKEN_POSITIONAL:
		return parse_leaf(p, AST_POSITIONAL);
	case TOKEN_VARIABLE:
		return parse_leaf(p, AST_VARIABLE);
	case TOKEN_MAP:
		return parse_map(p);
	case TOKEN_NAME:
		return parse_word(p);
	case TOKEN_OPERATOR:
		if (!strcmp(token->text, "("))
			return parse_parentheses(p);
		if (!strcmp(token->text, "{"))
			return parse_block(p, true);
		break;
	default:
		break;
	}
	parse_fail_expected(p, "an expression");
	return parse_node(p, AST_INTEGER, token->at);
}
