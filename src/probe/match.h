/* SPDX-License-Identifier: BSD-2-Clause */
/* Matches names against patterns: globs by fnmatch(3), POSIX extended regular expressions by regexec(3). */
#ifndef SONDE_PROBE_MATCH_H
#define SONDE_PROBE_MATCH_H

#include "base/base.h"

struct match;

/*
 * Compiles a pattern; NULL matches everything. The caller frees the result with match_free(). Returns NULL for a
 * bad pattern: err says why, and err->at is the offset of the fault in pattern.
 */
struct match *match_new(const char *pattern, bool regex, struct err *err);
/* NULL is allowed. */
void match_free(struct match *m);
/*
 * Whether the whole name matches; a regex matches any part unless it has anchors. A glob with brackets also matches
 * the name that is equal to its text. The "[]" of operator[] is no bracket expression.
 */
bool match_test(const struct match *m, const char *name);
/*
 * The name that the pattern stands for, without quoting, if it is no regex and has no wildcard; else NULL. Owned by
 * m.
 */
const char *match_literal(const struct match *m);

/*
 * The length of the bracket expression ("[a-z]", "[!]x]", "[[:alpha:]]") that begins at p; 0 if it is not closed.
 * Inside, a backslash quotes in a glob and is a letter in a regex.
 */
size_t match_bracket(const char *p, bool regex);

#endif
