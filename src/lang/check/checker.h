/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The state of a check, and what the files of lang/check/ offer each other and lang/functions/. The whole tree is gone
 * through again and again, with growing types of variables and maps and without a message, until no type changes. The
 * last pass reports errors and makes sites and storage.
 */
#ifndef SONDE_LANG_CHECK_CHECKER_H
#define SONDE_LANG_CHECK_CHECKER_H

#include "base/nearest.h"
#include "lang/check/check.h"
#include "lang/check/function.h"

struct checker {
	struct lang_program *program;
	struct pool *pool; /* the program's */
	struct ast_program *ast;
	const struct lang_options *options;
	struct checked_program *checked;
	bool is_final;			 /* the pass that reports */
	bool is_guessing;		 /* a map that is only assigned what is computed from itself holds integers */
	const struct lang_map *assigned; /* the map to which a sum or so is assigned; NULL: none */
	bool is_changed;		 /* in this pass the type of a variable or map became another one */
	uint32_t dead;			 /* how many arms that never run we are in */
	uint32_t n_variables;
	struct checked_probe *probe; /* whose block is checked */
	struct ast *loop;	     /* the innermost AST_FOR_* around; NULL: none */
	uint32_t n_loops;	     /* loops of any kind around */
	/* Variables that can be seen, the inner ones last. */
	struct {
		struct ast_variable **v;
		size_t n, cap;
	} visible;
	/* All variables of this probe, those of blocks that have ended among them. */
	struct {
		struct ast_variable **v;
		size_t n, cap;
	} declared;
	/* Names of the kernel's structs that were warned of in this probe: check_foreign_struct(). */
	struct {
		const char **v;
		size_t n, cap;
	} foreign;
	size_t block_begin; /* index in visible of the first variable of the innermost block */
};

/* --- messages: only the last pass keeps them --- */
void check_error(struct checker *c, struct span at, const char *fmt, ...) __printf(3, 4);
void check_warning(struct checker *c, struct span at, const char *fmt, ...) __printf(3, 4);
void check_hint(struct checker *c, struct span at, const char *fmt, ...) __printf(3, 4);
/* The name of a type in text that is valid as long as the program. */
const char *check_show(struct checker *c, const struct type *type);

/* --- check_type.c: what is written as a type, and the least type that holds two --- */
/* An array that the program wrote or cast to. Of a type of one byte it is no text. */
const struct type *check_number_array(struct checker *c, const struct type *of, uint32_t count);
const struct type *check_written_type(struct checker *c, const struct ast_type *written);
/* The type that a macro was given in place of an expression; NULL: it is an expression. */
const struct type *check_type_argument(struct checker *c, const struct ast *ast);
/* The smallest signed type of a literal; above INT64_MAX uint64. */
const struct type *check_literal_type(int64_t value, bool is_unsigned);
/* The type of arithmetic on two integers that is no subtraction; the sign follows the one that is no literal. */
const struct type *check_join_integers(const struct type *a, const struct type *b);
/*
 * The type that holds values of both: of a variable or map that has had the type `old` and is assigned `added`. False:
 * there is none.
 */
bool check_join(struct checker *c, const struct type *old, const struct type *added, const struct type **joined);
/* That integer type, of an address in that memory. */
const struct type *check_in_space(struct checker *c, const struct type *integer, enum type_space space);
/* Whether nothing can follow from the one that does not follow from the other. */
bool check_same(const struct type *a, const struct type *b);
/* Whose memory a pointer without a space of its own points to, in the probe that is checked. */
enum type_space check_default_space(const struct checker *c);
/* Whether a value of this type is text or can be read as text without str(): strings and arrays of bytes. */
bool check_is_text(const struct type *type);

/* --- check_expression.c --- */
/* Sets and returns ast->type; TYPE_NONE if it is not known yet or there was an error. Never NULL. */
const struct type *check_expression(struct checker *c, struct ast *ast);
/* An expression whose value is needed: values of maps that processors add up are read as integers. */
const struct type *check_value(struct checker *c, struct ast *ast);
/* The same of an expression that was checked. */
const struct type *check_read(struct checker *c, struct ast *ast);
/* A condition: makes a string's "is not empty" of it. */
void check_condition(struct checker *c, struct ast *ast);
/* An integer, or an error that names what it is for. */
bool check_integer(struct checker *c, struct ast *ast, const char *what);
void check_set_integer(struct ast *ast, int64_t value, const struct type *type);
void check_set_text(struct checker *c, struct ast *ast, const char *text);
/* Whether it is a string whose text is known; a constant array (pton()) is none. */
bool check_is_known_text(const struct ast *ast);
void check_set_bool(struct ast *ast, bool value);

/* --- check_operator.c --- */
const struct type *check_binary(struct checker *c, struct ast *ast);
const struct type *check_unary(struct checker *c, struct ast *ast);
const struct type *check_ternary(struct checker *c, struct ast *ast);
const struct type *check_cast(struct checker *c, struct ast *ast);
/* The type of `left OP right` for arithmetic; left and right are checked. */
const struct type *check_arithmetic(struct checker *c, enum ast_op op, struct ast *left, struct ast *right,
				    struct span at);
/* Warns of x < 0 where x is unsigned, as in /retval < 0/: it compiles, and finds nothing. */
void check_warn_never_negative(struct checker *c, const struct ast *ast);

/* --- check_constant.c --- */
/* The value as a variable of the type holds it. */
int64_t check_truncate(int64_t value, const struct type *type);
const struct type *check_sizeof(struct checker *c, struct ast *ast);
const struct type *check_offsetof(struct checker *c, struct ast *ast);
const struct type *check_positional(struct checker *c, struct ast *ast);
/* $1 is a number if it looks like one, and 0 if it is not given. Where text is expected, this makes it its text. */
void check_as_text(struct checker *c, struct ast *ast);

/* --- check_name.c --- */
const struct type *check_name(struct checker *c, struct ast *ast);
/* A struct of the kernel by its name; without BTF a pointer to void. */
const struct type *check_kernel_pointer(struct checker *c, const char *name, enum type_space space);
/* Checks of builtins that do nothing but return their type; check_simple(): builtin->result. */
const struct type *check_uint32(struct checker *c, struct ast *ast);
const struct type *check_uint64(struct checker *c, struct ast *ast);
const struct type *check_comm_name(struct checker *c, struct ast *ast);
const struct type *check_simple(struct checker *c, struct ast *ast);

/* --- check_field.c --- */
/* Warns if what a pointer points to is a struct of the kernel in the memory of a program. */
void check_foreign_struct(struct checker *c, const struct type *pointer, struct span at);
/* Whose memory the field or element lies in that a pointer leads to; SPACE_NONE: it is a part of a value. */
enum type_space check_memory_space(const struct checker *c, const struct ast *ast);
const struct type *check_field(struct checker *c, struct ast *ast);
const struct type *check_index(struct checker *c, struct ast *ast);

/* --- check_variable.c: variables, maps, assignment --- */
size_t check_block_begin(struct checker *c);
void check_block_end(struct checker *c, size_t before);
/* Declares the variable of an AST_VARIABLE in the innermost block. */
struct ast_variable *check_declare(struct checker *c, struct ast *ast);
const struct type *check_variable(struct checker *c, struct ast *ast);
const struct type *check_assign(struct checker *c, struct ast *ast);
const struct type *check_step(struct checker *c, struct ast *ast);
/* Makes the variable's type hold `type`; false with an error: it cannot. */
bool check_grow_variable(struct checker *c, struct ast_variable *variable, const struct type *type, struct span at);

/* --- check_map.c --- */
/* A map with its key in an expression; its value is read. */
const struct type *check_map(struct checker *c, struct ast *ast);
/* Finds the map of an AST_MAP, or makes it; checks the key against it, if there is one. */
struct lang_map *check_map_access(struct checker *c, struct ast *ast);
/* An argument that is a map as a whole; NULL with an error. */
struct lang_map *check_map_whole(struct checker *c, struct ast *ast, const char *function);
/* Checks an expression as the key of a map: has_key(@x, key). */
bool check_map_key(struct checker *c, struct lang_map *map, struct ast *key);
bool check_grow_map(struct checker *c, struct lang_map *map, const struct type *type, struct span at);
/* As what type an aggregate is read in an expression; NULL: it cannot be. */
const struct type *check_aggregate_read(const struct type *type);
/* Sets is_general of each map that is not one of values of threads, and is_read. */
void check_tasks(struct checker *c);
/* In check_label.c: names the parts of a map's key, unless they have names. */
void check_label_key(struct checker *c, struct lang_map *map, const struct ast *key);
/* Reports what is wrong with maps as a whole, gives each its storage and place in memory. */
void check_maps_finish(struct checker *c);

/* --- check_statement.c --- */
void check_statement(struct checker *c, struct ast *ast);
void check_statements(struct checker *c, struct ast *first);
/* A block of its own; returns the type of its value or TYPE_VOID. */
const struct type *check_block(struct checker *c, struct ast *ast);
const struct type *check_if(struct checker *c, struct ast *ast);

/* --- check_call.c --- */
const struct type *check_call(struct checker *c, struct ast *ast);
/* @x = count() and so on: `to` is checked. Returns the type of the map's value. */
const struct type *check_aggregate(struct checker *c, struct ast *to, struct ast *call);
/* The n-th argument, from 0; NULL: there is none. */
struct ast *check_argument(const struct ast *call, unsigned int n);
/* A constant text as an argument; NULL with an error. */
const char *check_text_argument(struct checker *c, struct ast *call, unsigned int n);
/* A constant integer as an argument; false with an error. */
bool check_constant_argument(struct checker *c, struct ast *call, unsigned int n, int64_t *value);
/* The first argument is a number or a pointer, or an error says that it is not `what`: "a process id". */
void check_scalar_argument(struct checker *c, struct ast *call, const char *what);
/* The check of a function of a number or pointer: the type is function->result. */
const struct type *check_scalar_call(struct checker *c, struct ast *call);
/* The same of a number that user space names: the type is function->naming's. */
const struct type *check_named_call(struct checker *c, struct ast *call);
/* A word as the first argument, as in nsecs(boot): 0 to n - 1; -1 with an error. */
int check_word(struct checker *c, struct ast *call, const char *const *words, size_t n);
/* --- check_text.c --- */
/* The n-th argument is text, or is read as text; false with an error. */
bool check_text(struct checker *c, struct ast *call, unsigned int n);
/* Whether it is a value of `probe` or `func`, which is the number of a place. */
bool check_is_place(const struct type *type);
/* str() of a place: the type of its text, whose value is set if the probe has one place only. */
const struct type *check_place_text(struct checker *c, struct ast *call);
/* Makes str(arg) of a value of `probe` or `func`. */
void check_wrap_place(struct checker *c, struct ast *arg);
/* Gives the texts of places that programs work on their place in memory, behind the maps. */
void check_texts_finish(struct checker *c);

/* --- check_site.c --- */
/* A new site; in passes before the last NULL. */
struct lang_site *check_site_new(struct checker *c, enum lang_site_kind kind, struct ast *call);
/* Gives it its arguments: a list linked by next. */
void check_site_arguments(struct checker *c, struct lang_site *site, struct ast *args);
/* The number of a text in program->texts. */
uint32_t check_text_number(struct checker *c, const char *text);
/* Types whose text needs a text of the program: strftime(FORMAT, ns), cgroup_path(id, FILTER). */
const struct type *check_with_text(struct checker *c, enum type_kind kind, const char *text);

/* --- check_format.c --- */
/* Checks a format against the arguments that follow it; args: a list linked by next. */
void check_format(struct checker *c, struct ast *call, const char *format, struct ast *args);
/* The same of arguments whose types are known. */
void check_format_types(struct checker *c, struct ast *call, const char *format, struct ast *args);

/* --- check_probe.c: attach points to places --- */
/* Fills program->probes, places and checked->probes. */
void check_probes(struct checker *c);
/* The first place of the probe that is checked: "fentry:vmlinux:vfs_read", where the program says "fentry:vfs_*". */
const char *check_place_name(const struct checker *c);
/* --- config.c --- */
/* The defaults, then config = { }, then the environment. */
void check_config(struct checker *c);
/* The settings as the members of a record: AST_NAMED, linked by next. */
struct ast *check_config_members(struct checker *c, struct span at);

#endif
