/* SPDX-License-Identifier: BSD-2-Clause */
/* Names against patterns: globs by fnmatch(3), POSIX extended regex by regexec(3), and the nearest name to a misspelt one. */
#ifndef SONDE_MATCH_H
#define SONDE_MATCH_H

#include "base/base.h"

struct match;

/* NULL pattern matches everything. err->at within pattern for a bad regex or an unclosed [. */
struct match *match_new(const char *pattern, bool regex, struct err *err);
void match_free(struct match *m);
bool match_test(const struct match *m, const char *name);
/* The name itself when the pattern has no wildcard (and is no regex), else NULL. */
const char *match_literal(const struct match *m);

/* Keeps the candidate with the least edit distance (Damerau, optimal string alignment). */
struct nearest {
	const char *wanted;
	char name[128];
	unsigned int distance;
};

void nearest_init(struct nearest *n, const char *wanted);
void nearest_offer(struct nearest *n, const char *candidate);
/* The best candidate if it is near enough to be meant (a third of the length, at most 4), else NULL. */
const char *nearest_name(const struct nearest *n);

#endif
