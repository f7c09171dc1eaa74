// SPDX-License-Identifier: BSD-2-Clause
/* Types as they are written, and how to tell a cast from an expression in parentheses. */
#include "base/word.h"
#include "parse_part.h"

/* Words that begin a type wherever they stand; names that end in "_t" and the program's own typedefs do so too. */
static const char type_words[] =
	"struct union enum typeof const volatile signed unsigned char short int long float double void bool "
	"_Bool __signed__ uint8 uint16 uint32 uint64 int8 int16 int32 int64 u8 u16 u32 u64 s8 s16 s32 s64 "
	"__u8 __u16 __u32 __u64 __s8 __s16 __s32 __s64 __be16 __be32 __be64 __le16 __le32 __le64 string "
	"buffer";
/* Words of one type: "unsigned long int". */
static const char number_words[] =
	"signed unsigned char short int long float double __signed__";
/* Words in a type that change nothing here. */
static const char ignored_words[] =
	"const volatile restrict __restrict __user __rcu __iomem __percpu register";

static bool is_listed(const struct token *token, const char *words)
{
	return token->kind == TOKEN_NAME && word_is_in(token->text, words);
}

static bool is_type_name(struct parser *p, const char *name)
{
	size_t n = strlen(name);

	return (n > 2 && !strcmp(name + n - 2, "_t")) || parse_name(p, name)->is_type;
}

bool parse_names_type(struct parser *p, const char *word)
{
	const struct token token = { .kind = TOKEN_NAME, .text = word };

	return is_listed(&token, type_words) || is_type_name(p, word);
}

static bool is_operator(struct parser *p, uint32_t at, const char *text)
{
	const struct token *token = parse_peek(p, at);

	return token->kind == TOKEN_OPERATOR && !strcmp(token->text, text);
}

bool parse_is_type(struct parser *p, uint32_t at)
{
	const struct token *token = parse_peek(p, at);

	if (token->kind != TOKEN_NAME)
		return false;
	if (!is_listed(token, type_words) && !is_type_name(p, token->text))
		return false;
	return !is_operator(p, at + 1, "(") || !strcmp(token->text, "typeof");
}

/* True if a token begins an operand, and never goes on with an expression: what follows a cast. */
static bool begins_operand(const struct token *token)
{
	switch (token->kind) {
	case TOKEN_VARIABLE:
	case TOKEN_MAP:
	case TOKEN_POSITIONAL:
	case TOKEN_INTEGER:
	case TOKEN_STRING:
	case TOKEN_NAME:
		return true;
	case TOKEN_OPERATOR:
		return !strcmp(token->text, "(");
	default:
		return false;
	}
}

bool parse_is_cast(struct parser *p)
{
	bool in_condition = p->in_condition;
	uint32_t at = 2;

	p->in_condition = false;
	if (!is_operator(p, 0, "(") || parse_peek(p, 1)->kind != TOKEN_NAME)
		return false;
	if (parse_is_type(p, 1))
		return is_operator(p, 2, ")") || is_operator(p, 2, "*") || is_operator(p, 2, "[") ||
		       is_operator(p, 2, "(") || parse_peek(p, 2)->kind == TOKEN_NAME;
	/* A name that nobody declared: of the kernel, perhaps. "(name *)" and "(name) $x" are nothing but casts. */
	if (is_operator(p, at, "*")) {
		while (at + 1 < PARSE_AHEAD && is_operator(p, at, "*"))
			at++;
		return is_operator(p, at, ")");
	}
	if (is_operator(p, at, "["))
		at += parse_peek(p, at + 1)->kind == TOKEN_INTEGER ? 3 : 2;
	return !in_condition && is_operator(p, at, ")") && (at == 2 || is_operator(p, at - 1, "]")) &&
	       begins_operand(parse_peek(p, at + 1));
}

static void skip_ignored(struct parser *p)
{
	while (is_listed(parse_peek(p, 0), ignored_words))
		parse_take(p);
}

static void parse_dimensions(struct parser *p, struct ast_type *type)
{
	while (parse_accept(p, "[")) {
		struct span at = p->last;
		int64_t value = UINT32_MAX;

		if (type->n_dims == ARRAY_SIZE(type->dims)) {
			parse_fail(p, at, "an array has at most %zu dimensions", ARRAY_SIZE(type->dims));
			return;
		}
		if (!parse_is(p, "]")) {
			struct ast *size = parse_expression(p);

			if (!parse_constant(p, size, &value))
				return;
			if (value < 0 || value >= 1 << 30)
				parse_fail(p, size->at, "the size of an array is between 0 and %d", (1 << 30) - 1);
		}
		type->dims[type->n_dims++] = value;
		if (!parse_expect(p, "]", "after the size of an array"))
			return;
	}
}

/* "(uint8, string[4])" or "(a: uint8, b: string)". */
static void parse_members(struct parser *p, struct ast_type *type)
{
	struct ast_type **last = &type->members;

	type->tag = WRITTEN_TUPLE;
	while (!p->failed && !parse_is(p, ")")) {
		const char *name = NULL;

		if (parse_peek(p, 0)->kind == TOKEN_NAME && (is_operator(p, 1, ":") || is_operator(p, 1, "="))) {
			name = parse_take(p).text;
			parse_take(p);
			type->tag = WRITTEN_RECORD;
		}
		*last = parse_type(p);
		(*last)->member = name;
		last = &(*last)->next;
		if (!parse_accept(p, ","))
			break;
	}
	parse_expect(p, ")", "after the types of a tuple");
}

static void parse_typeof(struct parser *p, struct ast_type *type)
{
	type->tag = WRITTEN_TYPEOF;
	if (!parse_expect(p, "(", "after typeof"))
		return;
	if (parse_is_type(p, 0))
		type->of_type = parse_type(p);
	else
		type->of = parse_expression(p);
	parse_expect(p, ")", "after what typeof is of");
}

static void parse_words(struct parser *p, struct ast_type *type)
{
	struct str name __str = {};

	if (parse_peek(p, 0)->kind != TOKEN_NAME) {
		parse_fail_expected(p, "a type");
		return;
	}
	do {
		bool is_number = is_listed(parse_peek(p, 0), number_words);

		if (name.len)
			str_addc(&name, ' ');
		str_add(&name, parse_take(p).text);
		skip_ignored(p);
		if (!is_number)
			break;
	} while (is_listed(parse_peek(p, 0), number_words));
	type->name = pool_add(p->pool, name.data);
}

struct ast_type *parse_type_name(struct parser *p)
{
	struct ast_type *type = pool_alloc(p->pool, sizeof(*type));

	type->at = parse_peek(p, 0)->at;
	parse_words(p, type);
	type->at = parse_since(p, type->at);
	return type;
}

struct ast_type *parse_type(struct parser *p)
{
	struct ast_type *type = pool_alloc(p->pool, sizeof(*type));

	type->at = parse_peek(p, 0)->at;
	if (!parse_enter(p)) {
		parse_leave(p);
		return type;
	}
	skip_ignored(p);
	if (parse_accept_word(p, "struct"))
		type->tag = WRITTEN_STRUCT;
	else if (parse_accept_word(p, "union"))
		type->tag = WRITTEN_UNION;
	else if (parse_accept_word(p, "enum"))
		type->tag = WRITTEN_ENUM;

	if (type->tag != WRITTEN_PLAIN) {
		skip_ignored(p);
		if (parse_peek(p, 0)->kind == TOKEN_NAME)
			type->name = parse_take(p).text;
		else
			parse_fail_expected(p, "the name of a type");
	} else if (parse_accept_word(p, "typeof")) {
		parse_typeof(p, type);
	} else if (parse_accept(p, "(")) {
		parse_members(p, type);
	} else {
		parse_words(p, type);
	}
	skip_ignored(p);
	for (; parse_accept(p, "*"); skip_ignored(p))
		type->pointers++;
	parse_dimensions(p, type);
	type->at = parse_since(p, type->at);
	parse_leave(p);
	return type;
}
