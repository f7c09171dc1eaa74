/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Matches a pattern against mangled symbols (C++, Rust) by the name that people wrote. The pattern may match the
 * whole name ("shop::Cart::total() const", "shop::Cart::total()"), the name without parameters
 * ("shop::Cart::total", of any overload), or the name as c++filt prints it.
 */
#ifndef SONDE_PROBE_NAMES_H
#define SONDE_PROBE_NAMES_H

#include "match.h"

struct names;

/*
 * pattern is the text from which match was compiled. Both are owned by the caller and must outlive the result.
 * Never NULL.
 */
struct names *names_new(const char *pattern, bool regex, const struct match *match);
void names_free(struct names *names);
static inline void names_freep(struct names **names)
{
	names_free(*names);
}

/*
 * Whether the pattern matches a mangled symbol. False if the symbol is not mangled: match_test() is for those. Most
 * symbols that cannot match are rejected without demangling, because the mangled name holds the words that people
 * wrote.
 */
bool names_test(struct names *names, const char *symbol);
/* Whether a pattern without wildcards is the last parts of the name: "Cart::total" of "shop::Cart::total() const". */
bool names_test_last(struct names *names, const char *symbol);

#endif
