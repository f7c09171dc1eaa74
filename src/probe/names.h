/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A pattern against mangled names (C++, Rust): it matches a function whose name it matches as people wrote it, whole
 * ("shop::Cart::total() const", "shop::Cart::total()"), without its parameters ("shop::Cart::total", any overload), or as
 * c++filt prints it.
 */
#ifndef SONDE_NAMES_H
#define SONDE_NAMES_H

#include "match.h"

struct names;

/* Of the pattern that match was made of; both are the caller's, and outlive it. Never NULL. */
struct names *names_new(const char *pattern, bool regex, const struct match *match);
void names_free(struct names *names);
static inline void names_freep(struct names **names)
{
	names_free(*names);
}

/*
 * False for a name that is not mangled: that is match_test()'s. Names that cannot match are mostly turned away
 * without being demangled, for what people wrote stands in the mangled name as it is.
 */
bool names_test(struct names *names, const char *symbol);
/* A name without wildcards against the last parts of what people wrote: "Cart::total" of "shop::Cart::total() const". */
bool names_test_last(struct names *names, const char *symbol);

#endif
