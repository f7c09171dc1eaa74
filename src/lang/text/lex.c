// SPDX-License-Identifier: BSD-2-Clause
/* Blanks, comments, names, strings and operators. */
#include "lex.h"

void lexer_init(struct lexer *lexer, const struct lang_sources *sources, uint32_t source, struct pool *pool,
		struct lang_messages *messages)
{
	const struct lang_source *of = &sources->v[source];

	*lexer = (struct lexer){
		.text = of->text,
		.source = source,
		.end = of->len,
		.pool = pool,
		.messages = messages,
		.begins_line = true,
	};
	/* "#!/usr/bin/env -S sonde trace" is for the kernel. */
	if (of->len > 1 && of->text[0] == '#' && of->text[1] == '!')
		while (lexer->pos < lexer->end && lexer->text[lexer->pos] != '\n')
			lexer->pos++;
}

void lexer_fail(struct lexer *lexer, uint32_t begin, uint32_t end, const char *fmt, ...)
{
	va_list ap;

	if (lexer->failed)
		return;
	va_start(ap, fmt);
	lang_say(lexer->messages, LANG_ERROR, (struct span){ lexer->source, begin, end }, fmt, ap);
	va_end(ap);
	lexer->failed = true;
	lexer->pos = lexer->end;
}

static char at(const struct lexer *lexer, uint32_t ahead)
{
	return ahead < lexer->end - lexer->pos ? lexer->text[lexer->pos + ahead] : 0;
}

/* The first comment says what the program is for: a line with a licence does not. */
static void note_comment(struct lexer *lexer, uint32_t begin)
{
	static const char licence[] = "// SPDX-";

	if (lexer->pos - begin >= strlen(licence) && !memcmp(lexer->text + begin, licence, strlen(licence)))
		return;
	if (lexer->comment.begin == lexer->comment.end)
		lexer->comment = (struct span){ lexer->source, begin, lexer->pos };
}

static void skip_line_comment(struct lexer *lexer)
{
	uint32_t begin = lexer->pos;

	while (lexer->pos < lexer->end && lexer->text[lexer->pos] != '\n')
		lexer->pos++;
	/* Lines of comments below each other are one comment. */
	if (lexer->comment.end && lexer->text[lexer->comment.begin + 1] == '/' && lexer->comment.end + 1 == begin)
		lexer->comment.end = lexer->pos;
	note_comment(lexer, begin);
}

static void skip_block_comment(struct lexer *lexer)
{
	uint32_t begin = lexer->pos;

	lexer->pos += 2;
	while (lexer->pos < lexer->end && !(at(lexer, 0) == '*' && at(lexer, 1) == '/'))
		lexer->pos++;
	if (lexer->pos >= lexer->end) {
		lexer_fail(lexer, begin, begin + 2, "this comment has no end: expected */");
		return;
	}
	lexer->pos += 2;
	note_comment(lexer, begin);
}

void lexer_skip_blanks(struct lexer *lexer, bool in_line)
{
	for (;;) {
		char c = at(lexer, 0);

		if (c == '\n' && in_line)
			return;
		if (c == '\n')
			lexer->begins_line = true;
		if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v')
			lexer->pos++;
		else if (c == '\\' && at(lexer, 1) == '\n')
			lexer->pos += 2;
		else if (c == '/' && at(lexer, 1) == '/')
			skip_line_comment(lexer);
		else if (c == '/' && at(lexer, 1) == '*')
			skip_block_comment(lexer);
		else
			return;
	}
}

static const char *name_text(struct lexer *lexer, uint32_t begin)
{
	char *copy = pool_alloc(lexer->pool, lexer->pos - begin + 1);

	return memcpy(copy, lexer->text + begin, lexer->pos - begin);
}

static void skip_name(struct lexer *lexer)
{
	while (lex_is_name(at(lexer, 0)))
		lexer->pos++;
}

/* A variable, "$x", or a parameter, "$1" and "$#". */
static void dollar(struct lexer *lexer, struct token *token)
{
	uint32_t begin = lexer->pos++;

	if (at(lexer, 0) == '#') {
		lexer->pos++;
		token->kind = TOKEN_POSITIONAL;
	} else if (lex_is_digit(at(lexer, 0))) {
		while (lex_is_name(at(lexer, 0)))
			lexer->pos++;
		token->kind = TOKEN_POSITIONAL;
		for (uint32_t i = begin + 1; i < lexer->pos; i++) {
			if (!lex_is_digit(lexer->text[i]) || token->value > 100000) {
				lexer_fail(lexer, begin, lexer->pos,
					   "a parameter is $1, $2 ...; a variable's name does not begin with a digit");
				return;
			}
			token->value = token->value * 10 + (lexer->text[i] - '0');
		}
		if (!token->value)
			lexer_fail(lexer, begin, lexer->pos, "there is no parameter $0: the first one is $1");
	} else if (lex_is_name_start(at(lexer, 0))) {
		skip_name(lexer);
		token->kind = TOKEN_VARIABLE;
		token->text = name_text(lexer, begin);
	} else {
		lexer_fail(lexer, begin, begin + 1, "expected a variable's name after $, as in $x");
	}
}

static int hex_digit(char c)
{
	if (lex_is_digit(c))
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The byte that an escape stands for; pos is behind the backslash. */
static char escape(struct lexer *lexer)
{
	static const char letters[] = "ntrabfv\\\"'?", bytes[] = "\n\t\r\a\b\f\v\\\"'?";
	uint32_t begin = lexer->pos - 1;
	char c = at(lexer, 0);
	const char *found = c ? strchr(letters, c) : NULL;
	unsigned int value = 0;

	if (found) {
		lexer->pos++;
		return bytes[found - letters];
	}
	if (c == 'x' && hex_digit(at(lexer, 1)) >= 0) {
		lexer->pos++;
		for (int i = 0; i < 2 && hex_digit(at(lexer, 0)) >= 0; i++)
			value = value * 16 + hex_digit(lexer->text[lexer->pos++]);
		return value;
	}
	for (int i = 0; i < 3 && at(lexer, 0) >= '0' && at(lexer, 0) <= '7'; i++)
		value = value * 8 + (lexer->text[lexer->pos++] - '0');
	if (lexer->pos == begin + 1)
		lexer_fail(
			lexer, begin, begin + 2,
			"unknown escape in a string; known: \\n \\t \\r \\\\ \\\" \\0nn (octal) \\xnn (hexadecimal)");
	else if (value > 255)
		lexer_fail(lexer, begin, lexer->pos, "this escape is larger than a byte: the largest is \\377");
	return value;
}

static void string(struct lexer *lexer, struct token *token)
{
	uint32_t begin = lexer->pos++;
	struct str text __str = {};

	token->kind = TOKEN_STRING;
	while (at(lexer, 0) != '"' && !lexer->failed) {
		char c = at(lexer, 0);

		if (lexer->pos >= lexer->end || c == '\n') {
			lexer_fail(lexer, begin, lexer->pos,
				   "this string has no end: expected \" before the end of the line");
			return;
		}
		lexer->pos++;
		if (c == '\\' && at(lexer, 0) == '\n')
			lexer->pos++;
		else
			str_addc(&text, c == '\\' ? escape(lexer) : c);
	}
	if (lexer->failed)
		return;
	lexer->pos++;
	token->len = text.len;
	token->text = pool_alloc(lexer->pool, text.len + 1);
	if (text.len)
		memcpy((char *)token->text, text.data, text.len);
}

/* Longer ones first. "..." is of C declarations. */
static const char *const operators[] = {
	"<<=",
	">>=",
	"...",
	"->",
	"++",
	"--",
	"<<",
	">>",
	"<=",
	">=",
	"==",
	"!=",
	"&&",
	"||",
	"+=",
	"-=",
	"*=",
	"/=",
	"%=",
	"&=",
	"|=",
	"^=",
	"..",
	"::",
	"+",
	"-",
	"*",
	"/",
	"%",
	"&",
	"|",
	"^",
	"~",
	"!",
	"<",
	">",
	"=",
	"?",
	":",
	";",
	",",
	".",
	"(",
	")",
	"[",
	"]",
	"{",
	"}",
	"#",
};

static void operator(struct lexer *lexer, struct token *token)
{
	uint32_t begin = lexer->pos;
	char c = at(lexer, 0);

	token->kind = TOKEN_OPERATOR;
	for (size_t i = 0; i < ARRAY_SIZE(operators); i++) {
		size_t n = operators[i][0] == c ? strlen(operators[i]) : 0;

		if (n && n <= lexer->end - begin && !memcmp(lexer->text + begin, operators[i], n)) {
			token->text = operators[i];
			lexer->pos += n;
			return;
		}
	}
	if (c == '\'')
		lexer_fail(lexer, begin, begin + 1,
			   "characters in single quotes do not exist here: use \"...\" for a string, or the "
			   "character's number");
	else if (!c)
		lexer_fail(lexer, begin, begin + 1, "a NUL byte in the program");
	else if ((unsigned char)c >= 0x80)
		lexer_fail(lexer, begin, begin + 1, "a character that is not ASCII outside of strings and comments");
	else
		lexer_fail(lexer, begin, begin + 1, "unexpected character '%c'", c);
}

void lexer_next(struct lexer *lexer, struct token *token)
{
	uint32_t begin;
	char c;

	*token = (struct token){};
	lexer_skip_blanks(lexer, false);
	begin = lexer->pos;
	token->begins_line = lexer->begins_line;
	lexer->begins_line = false;
	c = at(lexer, 0);
	if (begin >= lexer->end) {
		token->kind = TOKEN_END;
	} else if (lex_is_name_start(c)) {
		skip_name(lexer);
		token->kind = TOKEN_NAME;
		token->text = name_text(lexer, begin);
	} else if (c == '@') {
		lexer->pos++;
		if (lex_is_name_start(at(lexer, 0)))
			skip_name(lexer);
		token->kind = TOKEN_MAP;
		token->text = name_text(lexer, begin);
	} else if (c == '$') {
		dollar(lexer, token);
	} else if (lex_is_digit(c)) {
		lexer_number(lexer, token);
	} else if (c == '"') {
		string(lexer, token);
	} else {
		operator(lexer, token);
	}
	if (lexer->failed)
		*token = (struct token){ .kind = TOKEN_END };
	token->at = (struct span){ lexer->source, begin, lexer->pos };
	if (token->kind == TOKEN_END)
		token->at.begin = token->at.end = lexer->end;
}
