/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of the parser (parse*.c, cdecl.c, macro.c) share. The first error ends the parse: all tokens behind it
 * are TOKEN_END, so loops end, and no second error follows from the first.
 */
#ifndef SONDE_LANG_TREE_PARSE_PART_H
#define SONDE_LANG_TREE_PARSE_PART_H

#include "lang/text/preprocess.h"
#include "parse.h"

#define PARSE_AHEAD 16

enum {
	PARSE_MAX_DEPTH = 400,	  /* of the recursion into expressions, blocks and types; parentheses take two */
	PARSE_MAX_HEIGHT = 1000,  /* of a tree, so that every stage may recurse: 1+1+1+... makes a high one */
	PARSE_MAX_NODES = 200000, /* of a program */
	PARSE_MAX_VARIABLES = 4000,
	/* structs, unions, enums, typedefs, and values of enums: they are searched one by one */
	PARSE_MAX_DECLARED = 4000,
};

/* macro NAME(x, $y, @z) { ... } */
struct macro {
	const char *name;
	struct span at;
	struct ast *params; /* AST_NAME, AST_VARIABLE or AST_MAP */
	uint32_t n;
	struct ast *body;   /* AST_BLOCK */
	struct macro *next; /* of the same name, with other numbers of parameters */
	bool is_active;	    /* is being expanded */
};

/* What the program declares a name to be. */
struct parse_name {
	struct macro *macros; /* NULL: none */
	bool is_type;	      /* a typedef */
	bool is_variable;
	bool is_char;	     /* ... of char */
	struct type *opaque; /* of "struct NAME": what pointers to it point to */
	bool is_whole;	     /* of "struct NAME": a field is one, so that its size is settled */
};

struct parser {
	struct preprocessor pp;
	struct lang_sources *sources;
	struct lang_messages *messages;
	struct pool *pool;
	struct ctypes *types;
	struct token ahead[PARSE_AHEAD]; /* a ring */
	uint32_t first_ahead, n_ahead;
	struct span last; /* the token that was consumed last */
	uint32_t depth, nodes, n_expansions, n_declared, n_variables;
	bool failed;
	bool takes_hints;    /* the last call of parse_fail() was the first */
	bool in_predicate;   /* a '/' before '{' ends the expression */
	bool in_condition;   /* of if or while: "(x) y" is no cast at its begin */
	struct set name_set; /* index of names */
	vec(struct parse_name) names;
	bool has_macros;
	struct ast_program *program;
	struct ast_probe **last_probe;
	struct ast_setting **last_setting;
	struct ast_map_declaration **last_map;
};

/* --- tokens: parse_token.c --- */
const struct token *parse_peek(struct parser *p, uint32_t k); /* k < PARSE_AHEAD; 0 is the next one */
struct token parse_take(struct parser *p);
bool parse_is(struct parser *p, const char *operator);
bool parse_is_word(struct parser *p, const char *word);
bool parse_accept(struct parser *p, const char *operator); /* consumes it if it is next */
bool parse_accept_word(struct parser *p, const char *word);
/* Consumes the operator; or fails: "expected ';' after a statement", what: "after a statement". */
bool parse_expect(struct parser *p, const char *operator, const char * what);
/* Fails with "expected WHAT, not 'x'" about the next token. */
void parse_fail_expected(struct parser *p, const char *what);
void parse_fail(struct parser *p, struct span at, const char *fmt, ...) __printf(3, 4);
/* Adds to the error that was just reported. */
void parse_hint(struct parser *p, struct span at, const char *fmt, ...) __printf(3, 4);
/* From the begin of `at` to the end of the last token. */
struct span parse_since(const struct parser *p, struct span at);
/* Enters a level of recursion; false: too deep, which was reported. parse_leave() in any case. */
bool parse_enter(struct parser *p);
void parse_leave(struct parser *p);
bool parse_is_keyword(const char *name);
/* Valid until the next call. */
struct parse_name *parse_name(struct parser *p, const char *name);

/* --- the tree: ast.c --- */
struct ast *parse_node(struct parser *p, enum ast_kind kind, struct span at);
/* Ends a node whose children are complete: its place reaches to the last token, its height is known. */
struct ast *parse_seal(struct parser *p, struct ast *node);
/* Sets the height from the children's. */
void ast_measure(struct ast *node);

/* --- parse_type.c --- */
/* True if the token `at` begins the name of a type. */
bool parse_is_type(struct parser *p, uint32_t at);
struct ast_type *parse_type(struct parser *p);
/* The words of a type without pointers and dimensions: "unsigned long". */
struct ast_type *parse_type_name(struct parser *p);
/* True if '(' is next and a cast follows. */
bool parse_is_cast(struct parser *p);

/* --- parse_expression.c, parse_primary.c --- */
/* Each returns a node, also after an error. */
struct ast *parse_expression(struct parser *p);
struct ast *parse_unary(struct parser *p);
struct ast *parse_primary(struct parser *p); /* without what follows: fields, indices */
/* Keeps that the program has the positional parameter $number, or, with 0, $#. */
void parse_note_positional(struct parser *p, size_t number);
/* Expressions up to `close`, which is consumed: (1, 2). A comma before it is allowed if n > 0. */
struct ast *parse_list(struct parser *p, const char *close, const char *what, uint32_t *n);
/* The value of a constant expression of integers; false: it is none, which was reported. */
bool parse_constant(struct parser *p, struct ast *node, int64_t *value);

/* --- parse_statement.c --- */
/* "{ ... }". is_value: the block is an expression, whose value is a last expression without ';'. */
struct ast *parse_block(struct parser *p, bool is_value);
struct ast *parse_if(struct parser *p); /* arms are blocks that may have values */
/* Makes an `if` whose arms all have values an expression; false: they do not, and nothing changed. */
bool parse_make_value(struct ast *node);
/* The statement that an expression is where its value is not used; statements stay as they are. */
struct ast *parse_statement_of(struct parser *p, struct ast *node);

/* --- parse_probe.c --- */
void parse_probe(struct parser *p);

/* --- cdecl.c --- */
bool cdecl_is_next(struct parser *p);
/* "struct x { ... };", "enum", "union", "typedef"; in a header also what is skipped. */
void cdecl_parse(struct parser *p, bool is_header);
/* sizeof(type); false: it is not known here. */
bool cdecl_size(struct parser *p, const struct ast_type *type, int64_t *size);

/* --- macro.c --- */
void macro_parse(struct parser *p);
/* Replaces all calls of macros in the program. */
void macro_expand(struct parser *p);

#endif
