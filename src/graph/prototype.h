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

/*
 * Appends the arguments of a call: `dfd=-100, name="/etc/passwd"`. args: GRAPH_ARGS registers. text: what stands for the
 * argument that prototypes_text() names, "" if it could not be read. Foreign bytes are escaped.
 */
void prototypes_add_args(struct prototypes *prototypes, const struct target *target, const unsigned long long *args,
			 const char *text, struct str *to);
/* Appends the result: `3`, `-ENOENT`, `true`, `0xffff888004a1b000`. False: the function has none. */
bool prototypes_add_result(struct prototypes *prototypes, const struct target *target, long long ret, struct str *to);

#endif
