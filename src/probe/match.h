/* SPDX-License-Identifier: BSD-2-Clause */
/* Names against patterns: globs by fnmatch(3), POSIX extended regex by regexec(3). */
#ifndef SONDE_MATCH_H
#define SONDE_MATCH_H

#include "base/base.h"

struct match;

/* NULL pattern matches everything. err->at within pattern for a bad regex or an unclosed [. */
struct match *match_new(const char *pattern, bool regex, struct err *err);
void match_free(struct match *m);
/* A glob with brackets also matches the name that is its very text; operator[] is no bracket expression. */
bool match_test(const struct match *m, const char *name);
/* The name itself when the pattern has no wildcard (and is no regex), else NULL. */
const char *match_literal(const struct match *m);

/*
 * Length of the bracket expression ("[a-z]", "[!]x]", "[[:alpha:]]") that begins at p, 0 where it
 * is not closed. In a regex a backslash within it stands for itself, in a glob it quotes.
 */
size_t match_bracket(const char *p, bool regex);

#endif
