/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From text to tokens. Knows comments, numbers, strings and operators; nothing of what they mean together, nor of
 * directives (preprocess.h).
 */
#ifndef SONDE_LANG_TEXT_LEX_H
#define SONDE_LANG_TEXT_LEX_H

#include "source.h"

enum token_kind {
	TOKEN_END,
	TOKEN_NAME,	  /* text: also keywords */
	TOKEN_VARIABLE,	  /* text with '$' */
	TOKEN_MAP,	  /* text with '@' */
	TOKEN_POSITIONAL, /* value: n of $n, 0 is $# */
	TOKEN_INTEGER,	  /* value */
	TOKEN_STRING,	  /* text, len: escapes are replaced */
	TOKEN_OPERATOR,	  /* text: "<<=" */
};

struct token {
	enum token_kind kind;
	struct span at;
	const char *text;
	uint32_t len;
	uint64_t value;
	bool begins_line; /* the first of its line */
	bool is_expanded; /* comes from a #define, whose use is `at` */
};

struct lexer {
	const char *text;
	uint32_t source, pos, end;
	bool begins_line; /* no token of this line was read yet */
	struct pool *pool;
	struct lang_messages *messages;
	struct span comment; /* the first comment that is more than "#!": begin == end: none yet */
	bool failed;	     /* an error was reported; only TOKEN_END follows */
};

void lexer_init(struct lexer *lexer, const struct lang_sources *sources, uint32_t source, struct pool *pool,
		struct lang_messages *messages);
/* Reads the next token. At the end, and after an error, TOKEN_END. */
void lexer_next(struct lexer *lexer, struct token *token);
/* Skips blanks and comments; with `in_line` not the newline. */
void lexer_skip_blanks(struct lexer *lexer, bool in_line);
/* Reports an error about [begin, end) and ends the tokens. */
void lexer_fail(struct lexer *lexer, uint32_t begin, uint32_t end, const char *fmt, ...) __printf(4, 5);

static inline bool lex_is_name_start(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
static inline bool lex_is_digit(char c)
{
	return c >= '0' && c <= '9';
}
static inline bool lex_is_name(char c)
{
	return lex_is_name_start(c) || lex_is_digit(c);
}

/* A number with its suffix: "0x10", "1_000", "1e6", "5ms". Of lex_number.c. */
bool lexer_number(struct lexer *lexer, struct token *token);

#endif
