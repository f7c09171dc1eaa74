// SPDX-License-Identifier: BSD-2-Clause
/* The parser's view of tokens: looking ahead, expecting, and saying what was found instead. */
#include "base/word.h"
#include "parse_part.h"

static const struct token end_token = { .kind = TOKEN_END };

const struct token *parse_peek(struct parser *p, uint32_t k)
{
	while (p->n_ahead <= k && !p->failed) {
		struct token *token = &p->ahead[(p->first_ahead + p->n_ahead) % PARSE_AHEAD];

		preprocess_next(&p->pp, token);
		p->n_ahead++;
		if (p->pp.failed)
			p->failed = true;
	}
	return p->failed ? &end_token : &p->ahead[(p->first_ahead + k) % PARSE_AHEAD];
}

struct token parse_take(struct parser *p)
{
	struct token token = *parse_peek(p, 0);

	if (p->failed)
		return token;
	p->last = token.at;
	if (token.kind != TOKEN_END) {
		p->first_ahead = (p->first_ahead + 1) % PARSE_AHEAD;
		p->n_ahead--;
	}
	return token;
}

static bool has_text(const struct token *token, enum token_kind kind, const char *text)
{
	return token->kind == kind && !strcmp(token->text, text);
}

bool parse_is(struct parser *p, const char *operator)
{
	return has_text(parse_peek(p, 0), TOKEN_OPERATOR, operator);
}

bool parse_is_word(struct parser *p, const char *word)
{
	return has_text(parse_peek(p, 0), TOKEN_NAME, word);
}

bool parse_accept(struct parser *p, const char *operator)
{
	if (!parse_is(p, operator))
		return false;
	parse_take(p);
	return true;
}

bool parse_accept_word(struct parser *p, const char *word)
{
	if (!parse_is_word(p, word))
		return false;
	parse_take(p);
	return true;
}

void parse_fail(struct parser *p, struct span at, const char *fmt, ...)
{
	va_list ap;

	p->takes_hints = !p->failed;
	if (p->failed)
		return;
	va_start(ap, fmt);
	lang_say(p->messages, LANG_ERROR, at, fmt, ap);
	va_end(ap);
	p->failed = true;
}

void parse_hint(struct parser *p, struct span at, const char *fmt, ...)
{
	va_list ap;

	if (!p->takes_hints)
		return;
	va_start(ap, fmt);
	lang_say(p->messages, LANG_HINT, at, fmt, ap);
	va_end(ap);
}

/* Where something is missing: at the token that is there instead, or behind the one before if that ends its line. */
static struct span place_of_missing(struct parser *p, const struct token *found)
{
	struct span at = found->at;

	if ((found->begins_line || found->kind == TOKEN_END) && p->last.end && p->last.source == at.source)
		at = (struct span){ p->last.source, p->last.end - 1, p->last.end };
	return at;
}

void parse_fail_expected(struct parser *p, const char *what)
{
	struct token found = *parse_peek(p, 0);
	struct span at = place_of_missing(p, &found);

	p->takes_hints = false;
	if (p->failed)
		return;
	if (found.kind == TOKEN_END)
		parse_fail(p, at, "expected %s; the program ends here", what);
	else if (at.begin != found.at.begin)
		parse_fail(p, at, "expected %s here, at the end of the line", what);
	else if (found.is_expanded)
		parse_fail(p, at, "expected %s, not what this #define stands for", what);
	else if (found.at.end - found.at.begin > 40)
		parse_fail(p, at, "expected %s, not this", what);
	else
		parse_fail(p, at, "expected %s, not '%.*s'", what, (int)(found.at.end - found.at.begin),
			   p->sources->v[found.at.source].text + found.at.begin);
}

bool parse_expect(struct parser *p, const char *operator, const char * what)
{
	char *expected __free = NULL;

	if (parse_accept(p, operator))
		return true;
	expected = base_printf("'%s' %s", operator, what);
	parse_fail_expected(p, expected);
	return false;
}

struct span parse_since(const struct parser *p, struct span at)
{
	if (p->last.source == at.source && p->last.end > at.end)
		at.end = p->last.end;
	return at;
}

bool parse_enter(struct parser *p)
{
	if (++p->depth <= PARSE_MAX_DEPTH)
		return true;
	parse_fail(p, parse_peek(p, 0)->at, "nested too deeply");
	return false;
}

void parse_leave(struct parser *p)
{
	p->depth--;
}

bool parse_is_keyword(const char *name)
{
	static const char keywords[] =
		"break comptime config continue else enum for if import let macro offsetof return sizeof "
		"struct typedef typeof union unroll while";

	return word_is_in(name, keywords);
}

struct parse_name *parse_name(struct parser *p, const char *name)
{
	uint32_t index = set_add(&p->name_set, name, strlen(name));

	while (p->names.n <= index)
		vec_push(&p->names);
	return &p->names.v[index];
}
