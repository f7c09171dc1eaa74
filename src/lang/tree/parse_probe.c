// SPDX-License-Identifier: BSD-2-Clause
/*
 * Attach points and the block behind them. Attach points are not made of tokens: "uprobe:/usr/lib/libc.so*:mem?py" is
 * read as text, up to a ',', the predicate's '/' or the '{'.
 */
#include "parse_part.h"

struct attach_text {
	struct parser *p;
	struct lexer *lexer;
	struct str text;
	uint32_t n_colons, part_begin; /* part_begin: offset behind the last colon */
	uint32_t path_end;	       /* up to here, every '/' belongs to a path */
};

static char at(const struct lexer *lexer, uint32_t pos)
{
	return pos < lexer->end ? lexer->text[pos] : 0;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/*
 * True if this '/' belongs to a path, else it begins the predicate: paths begin with '/' or '.', or stand between the
 * first two colons.
 */
static bool is_path(struct attach_text *a)
{
	const struct lexer *lexer = a->lexer;
	char first = at(lexer, a->part_begin);
	uint32_t pos = lexer->pos;

	if (!a->n_colons)
		return false;
	if (first == '/' || first == '.' || first == '~' || pos < a->path_end)
		return true;
	if (a->n_colons != 1)
		return false;
	while (at(lexer, pos) && !strchr(" \t\r\n{,:\"", at(lexer, pos)))
		pos++;
	if (at(lexer, pos) != ':')
		return false;
	a->path_end = pos;
	return true;
}

static void copy_quoted(struct attach_text *a)
{
	struct lexer *lexer = a->lexer;
	uint32_t begin = lexer->pos++;

	while (at(lexer, lexer->pos) != '"') {
		char c = at(lexer, lexer->pos);

		if (!c || c == '\n') {
			parse_fail(a->p, (struct span){ lexer->source, begin, lexer->pos },
				   "this string has no end: expected \" before the end of the line");
			return;
		}
		if (c == '\\' && at(lexer, lexer->pos + 1) == '"')
			lexer->pos++;
		str_addc(&a->text, at(lexer, lexer->pos++));
	}
	lexer->pos++;
}

/* $1 in an attach point is replaced as text. */
static void copy_positional(struct attach_text *a)
{
	const struct parse_options *options = a->p->pp.options;
	struct lexer *lexer = a->lexer;
	uint32_t begin = lexer->pos++;
	size_t n = 0;

	while (lex_is_digit(at(lexer, lexer->pos)) && n < 100000)
		n = n * 10 + (lexer->text[lexer->pos++] - '0');
	if (!n || n > options->n_positional)
		parse_fail(a->p, (struct span){ lexer->source, begin, lexer->pos },
			   "there is no parameter $%zu: %zu parameter%s given", n, options->n_positional,
			   options->n_positional == 1 ? " was" : "s were");
	else
		str_add(&a->text, options->positional[n - 1]);
	parse_note_positional(a->p, n);
}

/* Goes over blanks beside a colon on the same line. True: the attach point goes on behind them. */
static bool skip_blanks(struct attach_text *a)
{
	uint32_t pos = a->lexer->pos;
	bool is_behind_colon = pos && at(a->lexer, pos - 1) == ':';

	while (is_blank(at(a->lexer, pos)))
		pos++;
	if (at(a->lexer, pos) != ':' && (!is_behind_colon || !at(a->lexer, pos) || strchr("\n/{,", at(a->lexer, pos))))
		return false;
	a->lexer->pos = pos;
	if (is_behind_colon)
		a->part_begin = pos;
	return true;
}

/* Copies one piece of the attach point; false: it has ended. */
static bool copy_piece(struct attach_text *a)
{
	struct lexer *lexer = a->lexer;
	char c = at(lexer, lexer->pos);

	if (!c || c == '\n' || c == ',' || c == '{' || c == '}' || c == ';')
		return false;
	if (is_blank(c))
		return skip_blanks(a);
	if (c == '/' && !is_path(a))
		return false;
	if (c == '"') {
		copy_quoted(a);
		return true;
	}
	if (c == '$' && lex_is_digit(at(lexer, lexer->pos + 1))) {
		copy_positional(a);
		return true;
	}
	str_addc(&a->text, c);
	lexer->pos++;
	if (c == ':') {
		a->n_colons++;
		a->part_begin = lexer->pos;
	}
	return true;
}

/* "name=" in front of a probe. */
static const char *take_name(struct parser *p, struct lexer *lexer)
{
	uint32_t begin = lexer->pos, end = begin, pos;

	while (lex_is_name(at(lexer, end)))
		end++;
	for (pos = end; is_blank(at(lexer, pos)); pos++)
		;
	if (end == begin || at(lexer, pos) != '=' || at(lexer, pos + 1) == '=')
		return NULL;
	lexer->pos = pos + 1;
	lexer_skip_blanks(lexer, false);
	return pool_addf(p->pool, "%.*s", (int)(end - begin), lexer->text + begin);
}

static struct ast_attach *parse_attach(struct parser *p, struct lexer *lexer)
{
	struct ast_attach *attach = pool_alloc(p->pool, sizeof(*attach));
	struct attach_text a = { .p = p, .lexer = lexer };

	lexer_skip_blanks(lexer, false);
	attach->name = take_name(p, lexer);
	attach->at = (struct span){ lexer->source, lexer->pos, lexer->pos };
	a.part_begin = lexer->pos;
	while (!p->failed && copy_piece(&a))
		;
	attach->at.end = lexer->pos;
	attach->text = pool_add(p->pool, str_or_empty(a.text.data));
	if (!*attach->text && !lexer->failed) {
		char found = at(lexer, lexer->pos);

		attach->at.end += attach->at.end < lexer->end;
		parse_fail(p, attach->at, "expected a probe, as in kprobe:vfs_read { ... } or begin { ... }");
		if (found == '}')
			parse_hint(p, attach->at, "this '}' closes no block");
		else if (found == '/')
			parse_hint(p, attach->at,
				   "a condition stands between a probe and its block: kprobe:f /pid == 1/ { ... }");
	}
	p->last = attach->at;
	str_release(&a.text);
	return attach;
}

/* No '{' follows: either it is missing, or what stands here is no probe at all. */
static void fail_behind(struct parser *p, const struct ast_attach *attach)
{
	const char *behind = p->sources->v[attach->at.source].text + attach->at.end;
	struct span at = parse_peek(p, 0)->at;

	if (strchr(attach->text, ':') || !strpbrk(attach->text, "(@$")) {
		bool is_if = parse_is_word(p, "if");

		parse_fail_expected(p, "'{' after a probe, or '/' before a condition");
		behind += strspn(behind, " \t");
		if (is_if)
			parse_hint(p, at, "a condition stands between slashes: /pid == 1/");
		else if (!strncmp(behind, "//", 2))
			parse_hint(p, attach->at, "'//' begins a comment");
		return;
	}
	parse_fail(p, attach->at, "expected a probe, as in kprobe:vfs_read { ... } or begin { ... }");
	parse_hint(p, attach->at, "statements stand in the block of a probe: begin { ... }");
}

static void parse_predicate(struct parser *p, struct ast_probe *probe)
{
	struct span open = parse_take(p).at;

	p->in_predicate = true;
	probe->predicate = parse_expression(p);
	p->in_predicate = false;
	if (!parse_accept(p, "/")) {
		parse_fail_expected(p, "'/' at the end of the condition, before '{'");
		parse_hint(p, open, "the condition begins here");
	}
}

/* A comma may follow the last probe, as in lists of C: what comes behind it is the block, or the condition. */
static bool is_block(struct lexer *lexer)
{
	lexer_skip_blanks(lexer, false);
	return at(lexer, lexer->pos) == '{' || at(lexer, lexer->pos) == '/';
}

void parse_probe(struct parser *p)
{
	struct ast_probe *probe = pool_alloc(p->pool, sizeof(*probe));
	struct ast_attach **last = &probe->attach;
	struct token first = *parse_peek(p, 0);
	struct preprocess_file *file = preprocess_file(&p->pp);
	struct lexer *lexer;

	if (!file || first.is_expanded || p->n_ahead != 1) {
		parse_fail(p, first.at, "a probe cannot come from a #define");
		return;
	}
	/* What was read as a token is read again, as text. */
	lexer = &file->lexer;
	lexer->pos = first.at.begin;
	p->n_ahead = 0;
	probe->at = first.at;
	do {
		*last = parse_attach(p, lexer);
		if (p->failed)
			return;
		probe->at.end = (*last)->at.end;
		last = &(*last)->next;
		lexer_skip_blanks(lexer, false);
	} while (at(lexer, lexer->pos) == ',' && ++lexer->pos && !is_block(lexer));
	if (lexer->failed) {
		p->failed = true;
		return;
	}
	if (parse_is(p, "/"))
		parse_predicate(p, probe);
	else if (!parse_is(p, "{"))
		fail_behind(p, probe->attach);
	if (!p->failed)
		probe->body = parse_block(p, false);
	*p->last_probe = probe;
	p->last_probe = &probe->next;
}
