/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the kernel's BTF says about a function: its arguments and its result, as far as a line of a graph shows them.
 * Functions that have none (user functions, clones by the compiler) have numbers.
 */
#ifndef SONDE_GRAPH_PROTOTYPE_H
#define SONDE_GRAPH_PROTOTYPE_H

#include "base/str.h"

struct prototypes;
struct target;

/* Of functions of one set, with so many slots; reads BTF when it is needed first. The caller frees it. */
struct prototypes *prototypes_new(size_t n_slots);
void prototypes_free(struct prototypes *prototypes);

/* What stands for a text among a kernel function's arguments, for programs: GRAPH_TEXT_OF(), 0: nothing. */
uint8_t prototypes_text(struct prototypes *prototypes, const struct target *target);

/* The slot has another function from now on: what was read of it is forgotten. */
void prototypes_forget(struct prototypes *prototypes, uint32_t slot);

/* How wide a function's result is. */
enum prototypes_result {
	PROTOTYPES_NONE,
	PROTOTYPES_UNKNOWN, /* its types are not known */
	PROTOTYPES_BOOL,
	PROTOTYPES_INT,	 /* 32 bits or less */
	PROTOTYPES_WIDE, /* 64 bits: a number or a pointer */
};

enum prototypes_result prototypes_result_of(struct prototypes *prototypes, const struct target *target);
/*
 * Returns the number of the first argument that points to a struct of one of these n names; -1: none does. *which: the
 * name's index.
 */
int prototypes_find_argument(struct prototypes *prototypes, const struct target *target, const char *const *names,
			     size_t n,
			     size_t *which);

/* The number of the argument with this name, "dfd"; of a function without types arg0 to arg2. -1: it has none. */
int prototypes_argument(struct prototypes *prototypes, const struct target *target, const char *name);
/* The value of an argument with this number, as its type has it; *is_unsigned: it may be more than INT64_MAX. */
int64_t prototypes_value(struct prototypes *prototypes, const struct target *target, int number,
			 unsigned long long word, bool *is_unsigned);
/* The same of the result; errors have their numbers in pointers, too. False: the function has none. */
bool prototypes_result(struct prototypes *prototypes, const struct target *target, long long ret, int64_t *value,
		       bool *is_unsigned);

/*
 * Appends the arguments of a call: `dfd=-100, name="/etc/passwd"`. args: GRAPH_ARGS registers. text: what stands for the
 * argument that prototypes_text() names, "" if it could not be read. Foreign bytes are escaped.
 */
void prototypes_add_args(struct prototypes *prototypes, const struct target *target, const unsigned long long *args,
			 const char *text, struct str *to);
/* Appends the result: `3`, `-ENOENT`, `true`, `0xffff888004a1b000`. False: the function has none. */
bool prototypes_add_result(struct prototypes *prototypes, const struct target *target, long long ret, struct str *to);

#endif
