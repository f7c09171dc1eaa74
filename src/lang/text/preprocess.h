/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tokens of a program after #define, #ifdef, #include and import. Knows files, not what tokens mean together.
 */
#ifndef SONDE_LANG_TEXT_PREPROCESS_H
#define SONDE_LANG_TEXT_PREPROCESS_H

#include "base/set.h"
#include "lex.h"
#include "parse_options.h"

#define PREPROCESS_MAX_EXPANDED 100000 /* tokens that #defines become, in a program */

struct define {
	bool is_defined, is_function; /* NAME(x) ...: refused where it is used */
	bool is_active;		      /* is being expanded: its own name stays as it is, as in C */
	struct span body;
};

/* One #if that is open. */
struct condition {
	struct span at;
	bool was_true, has_else;
};

struct preprocessor {
	struct lang_sources *sources;
	struct pool *pool;
	struct lang_messages *messages;
	const struct parse_options *options;
	struct set names; /* index of defines */
	struct {
		struct define *v;
		size_t n, cap;
	} defines;
	struct {
		struct preprocess_file {
			struct lexer lexer;
			size_t n_conditions; /* that were open when it began */
			bool is_header;
		} * v;
		size_t n, cap;
	} files; /* the last one is read */
	struct {
		struct condition *v;
		size_t n, cap;
	} conditions;
	struct {
		struct token *v;
		size_t n, cap;
	} queue; /* what a #define became */
	size_t queue_at, n_expanded;
	struct set read; /* device and inode of files that were imported */
	struct span comment;
	bool includes;	    /* an #include <...> was met: constants of C's headers are known */
	const char *unread; /* the first header whose own constants are not: "net/sock.h"; NULL: there is none */
	struct span unread_at;
	bool failed;
};

/* source: the main text. Everything that options refer to must stay valid. */
void preprocess_init(struct preprocessor *pp, struct lang_sources *sources, uint32_t source,
		     const struct parse_options *options, struct pool *pool, struct lang_messages *messages);
void preprocess_release(struct preprocessor *pp);
/* The next token; TOKEN_END at the end and after an error. */
void preprocess_next(struct preprocessor *pp, struct token *token);
/* The file that is read now; NULL: an expansion is under way. */
struct preprocess_file *preprocess_file(struct preprocessor *pp);
/* The path of <FILE> in a directory of -I; NULL: there is none. It belongs to the preprocessor's pool. */
const char *preprocess_find_header(struct preprocessor *pp, const char *path);
/* Reads this file next, once in a program; `at` is where it was asked for. False: an error was reported. */
bool preprocess_import(struct preprocessor *pp, const char *path, struct span at);
void preprocess_fail(struct preprocessor *pp, struct span at, const char *fmt, ...) __printf(3, 4);

/* Of preprocess_if.c: a directive behind '#', up to the end of its line, and #if's expression. */
void preprocess_directive(struct preprocessor *pp, struct lexer *lexer, uint32_t begin);
/* The #define of this name, NULL: none. */
struct define *preprocess_find(struct preprocessor *pp, const char *name);
struct define *preprocess_add(struct preprocessor *pp, const char *name);

#endif
