/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions of the language: a row for each, beside its code in lang/functions/. The linker collects the rows, so a
 * file there is a function, and nothing else lists it. docs/HOWTO-extend-the-language.md shows the steps.
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
	/* For a check or lower that several functions share. */
	enum type_kind result;
	enum lang_site_kind site;
	const char *instead; /* of lower_instead(): what does the same */
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
#define FUNCTION_ROW(NAME, ...) \
	static const struct function function_row_##NAME = { __VA_ARGS__ }; \
	static const struct function *const function_entry_##NAME \
		__attribute__((used, section("lang_functions"))) = &function_row_##NAME
#define FUNCTION(NAME, MIN, MAX, CHECK, LOWER, ...) \
	FUNCTION_ROW(NAME, #NAME, MIN, MAX, .check = (CHECK), .lower = (LOWER), ##__VA_ARGS__)
#define AGGREGATE(NAME, MIN, MAX, CHECK, ...) \
	FUNCTION_ROW(NAME, #NAME, MIN, MAX, .check = (CHECK), .is_aggregate = true, ##__VA_ARGS__)

const struct function *function_find(const char *name);
/* All rows, in no order. */
const struct function *const *function_list(size_t *n);
/* What does here what a function of another tracer does; NULL: the name is not known. */
const char *function_hint(const char *name);
/* Offers all names to nearest.h. */
struct nearest;
void function_offer(struct nearest *nearest);

#endif
