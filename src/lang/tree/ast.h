/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tree of a program. The parser makes it; macros and #define are expanded in it before the checker sees it. The
 * checker sets `type` of each expression and what is marked (checker); everything else is the parser's. Lists are
 * linked by `next`. The pool of the program owns everything.
 */
#ifndef SONDE_LANG_TREE_AST_H
#define SONDE_LANG_TREE_AST_H

#include "lang/text/operator.h"
#include "lang/text/source.h"
#include "lang/types/type.h"

enum ast_kind {
	/* expressions */
	AST_INTEGER,	/* integer */
	AST_BOOL,	/* integer.value */
	AST_STRING,	/* string */
	AST_NAME,	/* name: a builtin, an enum's constant, a mode ("perf" of kstack(perf)) */
	AST_POSITIONAL, /* integer.value: n of $n; 0 is $# */
	AST_VARIABLE,	/* variable */
	AST_MAP,	/* map; with or without keys */
	AST_CALL,	/* call */
	AST_UNARY,	/* unary */
	AST_BINARY,	/* binary; also && || */
	AST_TERNARY,	/* branch, both arms are expressions; "if" as an expression has blocks with values there */
	AST_FIELD,	/* field: x.name, x->name, x.0 */
	AST_INDEX,	/* index: x[i] */
	AST_CAST,	/* cast */
	AST_SIZEOF,	/* cast: of a type, or of an expression (as_type NULL) */
	AST_OFFSETOF,	/* offsetof */
	AST_TYPEOF,	/* cast: typeof(x) within a struct ast_type, or a type as the argument of a macro */
	AST_TUPLE,	/* list */
	AST_RECORD,	/* list of AST_NAMED */
	AST_NAMED,	/* named: a member of a record */
	AST_BLOCK,	/* block; as an expression it has a value */
	AST_ASSIGN,	/* assign: = += ...; an expression as in C, and a statement */
	AST_STEP,	/* step: ++ and -- */
	/* branch whose condition the checker decides: if comptime; arms are blocks, the second may be NULL */
	AST_IF_COMPTIME,

	/*
	 * Statements; further AST_ASSIGN, AST_BLOCK (without a value) and AST_IF_COMPTIME are in their lists as they
	 * are.
	 */
	AST_EXPRESSION, /* unary.operand: an expression whose value is not used; discard: by "_ = x" */
	AST_LET,	/* let */
	AST_IF,		/* branch, arms are blocks, the second may be NULL */
	AST_WHILE,	/* loop */
	AST_FOR_MAP,	/* loop: for ($kv : @map) */
	AST_FOR_RANGE,	/* loop: for ($i : a..b) */
	AST_UNROLL,	/* loop: unroll (n) */
	AST_RETURN,	/* unary.operand, may be NULL */
	AST_BREAK,
	AST_CONTINUE,
	AST_KINDS,
};

/* The text of an operator, "+"; "" for OP_NONE. */
const char *ast_operator_text(enum ast_op op);

/* A type as it is written: "struct task_struct *", "uint8[4]", "string[64]", "(uint8, string)", "typeof(x)". */
struct ast_type {
	struct span at;
	enum {
		WRITTEN_PLAIN,
		WRITTEN_STRUCT,
		WRITTEN_UNION,
		WRITTEN_ENUM,
		WRITTEN_TYPEOF,
		WRITTEN_TUPLE,
		WRITTEN_RECORD
	} tag;
	const char *name;  /* one blank between words */
	uint32_t pointers; /* number of '*' */
	uint32_t n_dims;   /* arrays; string[N] and buffer[N] have one; a dimension of UINT32_MAX is empty: "[]" */
	uint32_t dims[4];
	struct ast *of; /* typeof: an expression, or NULL and of_type */
	struct ast_type *of_type;
	struct ast_type *members, *next; /* tuple, record */
	const char *member;		 /* the name of a record's member */
};

/* (checker) A variable of a block. */
struct ast_variable {
	const char *name; /* with '$' */
	const struct type *type;
	struct span at;	 /* where it was declared */
	uint32_t number; /* unique in the program */
	/* AST_FOR_*, whose body it was declared in; NULL: none. Loops can become functions of their own */
	struct ast *loop;
	bool is_captured;  /* used in the body of a loop that is not the one it was declared in */
	bool is_addressed; /* its address is taken */
	bool is_assigned;
	bool is_typed; /* its type was written: let $x: uint8 */
};

struct ast {
	enum ast_kind kind;
	struct span at;
	uint32_t height; /* levels of the tree from here down, at most 1,000: every stage may recurse */
	struct ast *next;
	const struct type *type; /* (checker) of an expression */
	/* (checker) An expression whose value is known: integer, bool or string; lowering does not look below it. */
	bool is_constant;
	int64_t constant;
	const char *text; /* of a constant string; of a constant array (pton()) its bytes */

	union {
		struct {
			int64_t value;
			bool is_unsigned; /* does not fit into int64 */
		} integer;
		struct {
			const char *text; /* escapes are replaced */
			uint32_t len;	  /* it may hold NULs */
		} string;
		struct {
			const char *name;
			const struct function *builtin; /* (checker) NULL: none */
		} name;
		struct {
			const char *name;
			struct ast_variable *variable; /* (checker) */
		} variable;
		struct {
			const char *name;     /* with '@' */
			struct ast *keys;     /* NULL: none; several: a tuple */
			struct ast *key;      /* (checker) one expression: the key, or an AST_TUPLE of `keys` */
			struct lang_map *map; /* (checker) */
		} map;
		struct {
			const char *name;
			struct ast *args;
			uint32_t n;
			const struct function *function; /* (checker) */
			/* (checker) of what user space does: printf(), exit() ...; NULL: none */
			struct lang_site *site;
			bool is_unused; /* a statement: nobody looks at its value */
			/*
			 * (checker) print(args) of a system call: its argument is a tuple of what is decoded. str() and
			 * buf() in there: memory that cannot be read is left out, and is no loss.
			 */
			bool is_decoded;
		} call;
		struct {
			enum ast_op op;
			struct ast *operand;
			bool discard;
		} unary;
		struct {
			enum ast_op op;
			struct ast *left, *right;
		} binary;
		struct {
			struct ast *condition, *then, *otherwise;
		} branch;
		struct {
			struct ast *of;
			const char *name; /* NULL: index */
			uint32_t index;
			bool is_arrow;
			struct type_field found; /* (checker) where it is; of a pointer: in what it points to */
		} field;
		struct {
			struct ast *of, *index;
		} index;
		struct {
			struct ast_type *as_type;
			struct ast *operand;
		} cast;
		struct {
			struct ast_type *of_type;
			struct ast *of;
			const char *path; /* "a.b.c" */
		} offsetof;
		struct {
			struct ast *first;
			uint32_t n;
		} list;
		struct {
			const char *name;
			struct ast *value;
		} named;
		struct {
			struct ast *first; /* statements */
			struct ast *value; /* NULL: a block without a value */
		} block;
		struct {
			enum ast_op op; /* OP_NONE: = */
			struct ast *to; /* AST_VARIABLE or AST_MAP, or what "*p = " points to */
			struct ast *value;
		} assign;
		struct {
			struct ast *of;
			bool is_decrement, is_postfix;
		} step;
		struct {
			struct ast *variable;
			struct ast_type *as_type; /* NULL: none */
			struct ast *value;	  /* NULL: none */
		} let;
		struct {
			struct ast *variable;	 /* for */
			struct ast *condition;	 /* while; FOR_MAP: the map; UNROLL: the count */
			struct ast *begin, *end; /* FOR_RANGE */
			struct ast *body;	 /* AST_BLOCK */
			bool ends_visibly;	 /* (checker) while: the verifier sees the end */
			/* (checker) the body becomes a function: bpf_loop(), bpf_for_each_map_elem() */
			bool is_function;
		} loop;
	};
};

/* --- the program --- */

/* A place to attach to, as written: "kprobe:vfs_read". lang/places/probes.h takes it apart. */
struct ast_attach {
	struct span at;
	const char *text; /* without blanks around it; quotes removed; positional parameters replaced */
	const char *name; /* of "name=probe"; NULL: none */
	struct ast_attach *next;
};

struct ast_probe {
	struct span at;
	struct ast_attach *attach;
	struct ast *predicate; /* NULL: none */
	struct ast *body;      /* AST_BLOCK */
	struct ast_probe *next;
	uint32_t n_variables; /* (checker) */
};

struct ast_setting { /* of config = { } */
	struct span at;
	const char *name, *value;
	struct ast_setting *next;
};

struct ast_map_declaration { /* let @x = lruhash(100); */
	struct span at;
	const char *name, *kind;
	uint64_t entries;
	struct ast_map_declaration *next;
};

struct ast_program {
	struct ast_setting *settings;
	struct ast_map_declaration *maps;
	struct ast_probe *probes;
	const char *comment; /* the script's first comment, without its marks; NULL: none */
	const char *unread;  /* the first header of C that it includes and that is not known; NULL: none */
	struct span unread_at;
	size_t n_positional; /* the program has $1 to this one; SIZE_MAX: it has $# */
};

#endif
