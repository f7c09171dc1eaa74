/* SPDX-License-Identifier: BSD-2-Clause */
/* Within probe/: which functions of a binary a pattern stands for, and what people call them. */
#ifndef SONDE_FUNCTIONS_H
#define SONDE_FUNCTIONS_H

#include "binary/binary.h"
#include "resolve.h"

/* Initialise with {}; v is the caller's to free, what it points to is the symbols'. */
struct functions {
	const struct binary_symbol **v;
	size_t n, cap;
};

/*
 * By their symbols and, where these are mangled, by the names that people wrote (names.h). A name without wildcards is one
 * of three: a symbol; else what people wrote, any overload; else the last part of that, in any namespace and class.
 */
void functions_find(const struct query *query, const struct binary_symbol *symbols, size_t n, struct functions *found);
/* The name that people wrote, or the symbol where it is not mangled. In the set's pool. */
const char *functions_shown(struct target_set *set, const char *symbol);
/*
 * An offset needs one function: -EINVAL names the overloads that a name without its parameters stands for. Several symbols
 * of one name, static functions, are one.
 */
int functions_check_one(const struct query *query, const struct functions *found, struct err *err);
/* What may have been meant by a name that was not found, or NULL. The caller's to free. */
char *functions_nearest(const char *wanted, const struct binary_symbol *symbols, size_t n);

#endif
