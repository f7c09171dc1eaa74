// SPDX-License-Identifier: BSD-2-Clause
/* Directives: #define, #if and its kin, #include. */
#include "base/nearest.h"
#include "operator.h"
#include "preprocess.h"
#include "preprocess_constants.h"

/* --- the expression of #if --- */

struct evaluation {
	struct preprocessor *pp;
	struct lexer lexer;
	struct token token;
	int depth;
};

static void advance(struct evaluation *e)
{
	lexer_next(&e->lexer, &e->token);
}

static bool is_operator(const struct evaluation *e, const char *text)
{
	return e->token.kind == TOKEN_OPERATOR && !strcmp(e->token.text, text);
}

static bool accept(struct evaluation *e, const char *text)
{
	if (!is_operator(e, text))
		return false;
	advance(e);
	return true;
}

static void evaluation_fail(struct evaluation *e, const char *text)
{
	if (!e->lexer.failed)
		preprocess_fail(e->pp, e->token.at, "%s", text);
}

static int64_t evaluate(struct evaluation *e, int precedence);

/* The constants of C's headers are #defines there. */
static bool is_of_header(const struct preprocessor *pp, const char *name, struct constant *constant)
{
	return pp->includes && preprocess_constant(name, constant);
}

static bool is_defined(struct preprocessor *pp, const char *name)
{
	struct constant constant;

	return preprocess_find(pp, name) || is_of_header(pp, name, &constant);
}

static int64_t evaluate_defined(struct evaluation *e)
{
	bool has_paren;
	int64_t value = 0;

	advance(e);
	has_paren = accept(e, "(");
	if (e->token.kind == TOKEN_NAME)
		value = is_defined(e->pp, e->token.text);
	else
		evaluation_fail(e, "expected a name after 'defined'");
	advance(e);
	if (has_paren && !accept(e, ")"))
		evaluation_fail(e, "expected ) after the name");
	return value;
}

/* The value of a #define; a name that is none counts as 0, as in C. */
static int64_t evaluate_name(struct evaluation *e)
{
	struct define *define = preprocess_find(e->pp, e->token.text);
	struct evaluation inner = { .pp = e->pp, .depth = e->depth + 1 };
	struct constant constant = {};
	int64_t value;
	size_t index;

	if (!strcmp(e->token.text, "defined"))
		return evaluate_defined(e);
	if (!define)
		is_of_header(e->pp, e->token.text, &constant);
	advance(e);
	if (!define)
		return constant.value;
	if (define->is_function || define->is_active)
		return 0;
	index = define - e->pp->defines.v;
	lexer_init(&inner.lexer, e->pp->sources, define->body.source, e->pp->pool, e->pp->messages);
	inner.lexer.pos = define->body.begin;
	inner.lexer.end = define->body.end;
	define->is_active = true;
	advance(&inner);
	value = evaluate(&inner, 0);
	e->pp->defines.v[index].is_active = false; /* the array may have moved */
	e->pp->failed |= inner.lexer.failed;
	return value;
}

static int64_t evaluate_primary(struct evaluation *e)
{
	int64_t value = 0;

	/* A #define of two others, each of two others ... ends here. */
	if (++e->pp->n_expanded > PREPROCESS_MAX_EXPANDED)
		evaluation_fail(e, "this #if takes too long to compute");
	else if (++e->depth > 200)
		evaluation_fail(e, "this #if is nested too deeply");
	else if (accept(e, "!"))
		value = !evaluate_primary(e);
	else if (accept(e, "-"))
		value = -(uint64_t)evaluate_primary(e);
	else if (accept(e, "+"))
		value = evaluate_primary(e);
	else if (accept(e, "~"))
		value = ~evaluate_primary(e);
	else if (accept(e, "(")) {
		value = evaluate(e, 0);
		if (!accept(e, ")"))
			evaluation_fail(e, "expected ) in this #if");
	} else if (e->token.kind == TOKEN_NAME) {
		value = evaluate_name(e);
	} else if (e->token.kind == TOKEN_INTEGER) {
		value = e->token.value;
		advance(e);
	} else {
		evaluation_fail(e, "expected a number or a name in this #if");
	}
	e->depth--;
	return value;
}

static int64_t evaluate(struct evaluation *e, int precedence)
{
	int64_t value = evaluate_primary(e);

	for (;;) {
		const struct binary_operator *found = e->token.kind == TOKEN_OPERATOR ? operator_find(e->token.text) : NULL;

		if (!found || found->precedence <= precedence || e->pp->failed || e->lexer.failed)
			return value;
		advance(e);
		value = operator_compute(found->op, value, evaluate(e, found->precedence), true);
	}
}

/* --- lines --- */

/* The offset behind the directive's line; a backslash and comments go over lines. */
static uint32_t line_end(const struct lexer *lexer, uint32_t at, uint32_t *end)
{
	const char *text = lexer->text;
	bool in_string = false;

	*end = UINT32_MAX;
	for (; at < lexer->end && text[at] != '\n'; at++) {
		char next = at + 1 < lexer->end ? text[at + 1] : 0;

		if (text[at] == '\\' && next) {
			at++;
		} else if (text[at] == '"') {
			in_string = !in_string;
		} else if (!in_string && text[at] == '/' && next == '/') {
			*end = *end < at ? *end : at;
		} else if (!in_string && text[at] == '/' && next == '*' && *end == UINT32_MAX) {
			const char *close = memmem(text + at + 2, lexer->end - at - 2, "*/", 2);

			at = close ? (uint32_t)(close + 1 - text) : lexer->end - 1;
		}
	}
	*end = *end < at ? *end : at;
	return at;
}

static bool is_true(struct preprocessor *pp, const struct lexer *lexer, uint32_t begin, uint32_t end)
{
	struct evaluation e = { .pp = pp, .lexer = *lexer };
	int64_t value;

	e.lexer.pos = begin;
	e.lexer.end = end;
	advance(&e);
	value = evaluate(&e, 0);
	if (e.token.kind != TOKEN_END)
		evaluation_fail(&e, "unexpected text after the expression of #if");
	pp->failed |= e.lexer.failed;
	return value;
}

static const char *word(struct lexer *lexer)
{
	uint32_t begin;
	char *copy;

	lexer_skip_blanks(lexer, true);
	begin = lexer->pos;
	while (lexer->pos < lexer->end && lex_is_name(lexer->text[lexer->pos]))
		lexer->pos++;
	copy = pool_alloc(lexer->pool, lexer->pos - begin + 1);
	return memcpy(copy, lexer->text + begin, lexer->pos - begin);
}

static bool is_one_of(const char *text, const char *const *list)
{
	while (*list)
		if (!strcmp(text, *list++))
			return true;
	return false;
}

static const char *const opening[] = { "if", "ifdef", "ifndef", NULL };

/* Goes to the next line that begins with '#' and leaves pos behind it; false: there is none. */
static bool next_directive(struct lexer *lexer, uint32_t *begin)
{
	uint32_t end;

	while (lexer->pos < lexer->end) {
		lexer->pos = line_end(lexer, lexer->pos, &end);
		if (lexer->pos < lexer->end)
			lexer->pos++;
		while (lexer->pos < lexer->end && strchr(" \t\r", lexer->text[lexer->pos]))
			lexer->pos++;
		if (lexer->pos < lexer->end && lexer->text[lexer->pos] == '#') {
			*begin = lexer->pos++;
			return true;
		}
	}
	return false;
}

static bool holds(struct preprocessor *pp, struct lexer *lexer, const char *directive)
{
	uint32_t end, next = line_end(lexer, lexer->pos, &end);
	struct span at = { lexer->source, lexer->pos, next };
	const char *name;
	bool is;

	if (!strcmp(directive, "if") || !strcmp(directive, "elif")) {
		is = is_true(pp, lexer, lexer->pos, end);
		lexer->pos = next;
		return is;
	}
	name = word(lexer);
	if (!*name)
		preprocess_fail(pp, at, "expected a name after #%s", directive);
	lexer->pos = next;
	return is_defined(pp, name) == !strcmp(directive, "ifdef");
}

/* Skips what the open condition leaves out, up to and with the directive that ends it. */
static void skip_group(struct preprocessor *pp, struct lexer *lexer)
{
	struct condition *condition = &pp->conditions.v[pp->conditions.n - 1];
	uint32_t begin, depth = 0;

	while (!pp->failed && next_directive(lexer, &begin)) {
		const char *directive = word(lexer);
		bool is_elif = !strcmp(directive, "elif"), is_else = !strcmp(directive, "else");

		if (is_one_of(directive, opening)) {
			depth++;
		} else if (!strcmp(directive, "endif")) {
			if (!depth--) {
				pp->conditions.n--;
				return;
			}
		} else if (!depth && (is_else || is_elif)) {
			if (condition->has_else)
				preprocess_fail(pp, (struct span){ lexer->source, begin, lexer->pos },
						"#%s after #else", directive);
			condition->has_else |= is_else;
			if (!condition->was_true && (is_else || holds(pp, lexer, directive))) {
				condition->was_true = true;
				return;
			}
		}
	}
}

static void open_condition(struct preprocessor *pp, struct lexer *lexer, const char *directive, struct span at)
{
	struct condition *condition = vec_push(&pp->conditions);

	condition->at = at;
	condition->was_true = holds(pp, lexer, directive);
	if (!condition->was_true)
		skip_group(pp, lexer);
}

/* #else, #elif and #endif of a group that was read. */
static void close_group(struct preprocessor *pp, struct lexer *lexer, const char *directive, struct span at)
{
	if (pp->conditions.n <= pp->files.v[pp->files.n - 1].n_conditions) {
		preprocess_fail(pp, at, "#%s without #if", directive);
		return;
	}
	if (!strcmp(directive, "endif")) {
		pp->conditions.n--;
		return;
	}
	if (pp->conditions.v[pp->conditions.n - 1].has_else)
		preprocess_fail(pp, at, "#%s after #else", directive);
	pp->conditions.v[pp->conditions.n - 1].has_else |= !strcmp(directive, "else");
	skip_group(pp, lexer);
}

static void define(struct preprocessor *pp, struct lexer *lexer, struct span at)
{
	const char *name = word(lexer);
	struct define *define;
	uint32_t end, next;

	if (!lex_is_name_start(*name)) {
		preprocess_fail(pp, at, "expected a name after #define");
		return;
	}
	define = preprocess_add(pp, name);
	define->is_defined = true;
	define->is_function = lexer->pos < lexer->end && lexer->text[lexer->pos] == '(';
	next = line_end(lexer, lexer->pos, &end);
	define->body = (struct span){ lexer->source, lexer->pos, end };
	lexer->pos = next;
}

static void include(struct preprocessor *pp, struct lexer *lexer, struct span at)
{
	const char *begin, *end, *name, *full;
	char close;

	lexer_skip_blanks(lexer, true);
	begin = lexer->text + lexer->pos;
	close = lexer->pos < lexer->end && *begin == '<' ? '>' : '"';
	end = lexer->pos < lexer->end && (*begin == '<' || *begin == '"')
		      ? memchr(begin + 1, close, strcspn(begin + 1, "\n"))
		      : NULL;
	if (!end) {
		preprocess_fail(pp, at, "expected <FILE> or \"FILE\" after #include");
		return;
	}
	at.end = end + 1 - lexer->text;
	lexer->pos = at.end;
	name = pool_addf(pp->pool, "%.*s", (int)(end - begin - 1), begin + 1);
	if (close == '"') {
		preprocess_import(pp, name, at);
		return;
	}
	pp->includes = true;
	if (preprocess_knows_header(name))
		return;
	full = preprocess_find_header(pp, name);
	if (full) {
		preprocess_import(pp, full, at);
	} else if (!pp->unread) {
		pp->unread = name;
		pp->unread_at = at;
	}
}

static void unknown(struct preprocessor *pp, const char *directive, struct span at)
{
	static const char *const known[] = { "define", "undef", "include", "if", "ifdef",
					     "ifndef", "elif", "else", "endif" };
	struct nearest nearest;

	nearest_init(&nearest, directive);
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		nearest_offer(&nearest, known[i]);
	preprocess_fail(pp, at, "unknown directive #%s", directive);
	if (nearest_name(&nearest))
		lang_hint(pp->messages, at, "did you mean #%s?", nearest_name(&nearest));
}

void preprocess_directive(struct preprocessor *pp, struct lexer *lexer, uint32_t begin)
{
	static const char *const closing[] = { "else", "elif", "endif", NULL };
	static const char *const ignored[] = { "pragma", "line", "ident", "", NULL };
	const char *directive = word(lexer);
	struct span at = { lexer->source, begin, lexer->pos };
	size_t n_files = pp->files.n;
	uint32_t end;

	if (!strcmp(directive, "define")) {
		define(pp, lexer, at);
	} else if (!strcmp(directive, "undef")) {
		preprocess_add(pp, word(lexer))->is_defined = false;
	} else if (!strcmp(directive, "include")) {
		include(pp, lexer, at);
	} else if (is_one_of(directive, opening)) {
		open_condition(pp, lexer, directive, at);
	} else if (is_one_of(directive, closing)) {
		close_group(pp, lexer, directive, at);
	} else if (!strcmp(directive, "error") || !strcmp(directive, "warning")) {
		line_end(lexer, lexer->pos, &end);
		lexer_skip_blanks(lexer, true);
		if (directive[0] == 'e')
			preprocess_fail(pp, at, "%.*s", (int)(end - lexer->pos), lexer->text + lexer->pos);
		else
			lang_warning(pp->messages, at, "%.*s", (int)(end - lexer->pos), lexer->text + lexer->pos);
	} else if (!is_one_of(directive, ignored) && !lex_is_digit(*directive)) {
		unknown(pp, directive, at);
	}
	/* The array of files may have moved; the line's rest belongs to the file that the directive is in. */
	lexer = &pp->files.v[n_files - 1].lexer;
	lexer->pos = line_end(lexer, lexer->pos, &end);
}
