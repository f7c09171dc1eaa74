/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For probe/ alone: finds the functions of a binary that a pattern matches, and the names that people wrote for
 * them.
 */
#ifndef SONDE_PROBE_FUNCTIONS_H
#define SONDE_PROBE_FUNCTIONS_H

#include "binary/binary.h"
#include "resolve.h"

/* Initialise with {}. The caller frees v; the elements point into the symbols. */
struct functions {
	vec(const struct binary_symbol *);
};

/*
 * Adds to found the functions that the pattern of query matches, by symbol and, for mangled symbols, by the name
 * that people wrote (names.h). A name without wildcards is tried as a symbol; if there is none, as the name that
 * people wrote, of all overloads; if there is none, as the last part of that, in any namespace and class.
 */
void functions_find(const struct query *query, const struct binary_symbol *symbols, size_t n, struct functions *found);
/* The name that people wrote, or the symbol if it is not mangled. Owned by the pool of the set. */
const char *functions_shown(struct target_set *set, const char *symbol);
/*
 * Checks that a spec with an offset matches one function only. -EINVAL: a C++ name without parameters has several
 * overloads; err lists some. Several static functions with the same symbol count as one.
 */
int functions_check_one(const struct query *query, const struct functions *found, struct err *err);
/* The name most similar to one that was not found, which the caller frees; NULL: none is similar. */
char *functions_nearest(const char *wanted, const struct binary_symbol *symbols, size_t n);

#endif
