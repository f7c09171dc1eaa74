/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions and builtins of the language: a row for each, beside its code in lang/functions/. The linker collects the
 * rows, and nothing else lists them. docs/HOWTO-extend-the-language.md shows the steps. A builtin is written without
 * brackets: pid, comm. Its node is an AST_NAME, that of a function an AST_CALL.
 */
#ifndef SONDE_LANG_CHECK_FUNCTION_H
#define SONDE_LANG_CHECK_FUNCTION_H

#include "lang/program/program.h"
#include "lang/tree/ast.h"

struct checker;
struct lower;
struct low_value;

struct function {
	const char *name;
	uint8_t min_args, max_args;
	/*
	 * Checks the arguments, whose number is right, and returns the type of the call; sets its value, if that is
	 * known (check_set_integer() and so on). Of an aggregate: the type of the map.
	 */
	const struct type *(*check)(struct checker *c, struct ast *call);
	/* Makes code of a call whose value is not known. Not of aggregates: lower_aggregate.c adds by type. */
	struct low_value (*lower)(struct lower *l, struct ast *call);
	bool is_aggregate; /* @x = count(): the value of a map, and nothing else */
	bool is_statement; /* nobody misses its value */
	bool is_unsafe;	   /* needs --unsafe */
	/* The kinds of probes that have it: IN(KPROBE) | IN(UPROBE); 0: all. */
	uint32_t probes;
	/* Of builtins: the same during a run of the program, so that entries of maps with this key are remembered. */
	bool is_stable;
	/* Says what to use in a probe that does not have it. */
	void (*hint)(struct checker *c, const struct ast *ast);
	/* For a check or lower that several functions share. */
	enum type_kind result;
	enum lang_site_kind site;
	struct type_naming naming; /* of check_named_call(): the type, and the name of a number */
	const char *instead;	   /* of lower_instead(): what does the same */
	/* What it does with a map that is its argument. Without a word of it, the map gets a hash of the kernel's. */
	struct {
		bool is_shown;	 /* user space shows or empties the whole map */
		bool keeps_keys; /* and frees none of its keys */
		bool is_keyed;	 /* the second argument is the key of the entry that it is about */
		bool is_deleted; /* it deletes that entry */
		bool is_unused;	 /* it computes with no value */
	} map;
};

#define IN(KIND) (1U << PROBE_##KIND)
#define FUNCTION_ROW(SECTION, ID, ...) \
	static const struct function row_of_##ID = { __VA_ARGS__ }; \
	static const struct function *const entry_of_##ID __attribute__((used, section(SECTION))) = &row_of_##ID
#define FUNCTION(NAME, MIN, MAX, CHECK, LOWER, ...) \
	FUNCTION_ROW("lang_functions", function_##NAME, #NAME, MIN, MAX, .check = (CHECK), .lower = (LOWER), \
		     ##__VA_ARGS__)
#define AGGREGATE(NAME, MIN, MAX, CHECK, ...) \
	FUNCTION_ROW("lang_functions", function_##NAME, #NAME, MIN, MAX, .check = (CHECK), .is_aggregate = true, \
		     ##__VA_ARGS__)
#define BUILTIN(NAME, CHECK, LOWER, ...) \
	FUNCTION_ROW("lang_builtins", builtin_##NAME, #NAME, .check = (CHECK), .lower = (LOWER), ##__VA_ARGS__)

/* NULL: there is none of that name. */
const struct function *function_find(const char *name);
const struct function *builtin_find(const char *name);
/* All rows, in no order. */
const struct function *const *function_list(size_t *n);
const struct function *const *builtin_list(size_t *n);
/* The type of a function with a naming, by its written name; NULL: there is none. */
const struct type *function_find_type(struct pool *pool, const char *name);
/* Whether it is the builtin of that name. */
bool builtin_is(const struct ast *ast, const char *name);
/* What does here what a function of another tracer does; NULL: the name is not known. */
const char *function_hint(const char *name);
/* Offers all names to nearest.h: of functions, or of builtins, too. */
struct nearest;
void function_offer(struct nearest *nearest, bool builtins);

#endif
