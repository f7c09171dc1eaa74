/* SPDX-License-Identifier: BSD-2-Clause */
/* The nearest name to a misspelt one, for "did you mean". */
#ifndef SONDE_NEAREST_H
#define SONDE_NEAREST_H

#include "base.h"

/*
 * Keeps the candidate with the least edit distance (Damerau, optimal string alignment), the first
 * of equals.
 */
struct nearest {
	const char *wanted; /* the caller's, kept by pointer */
	char name[128];
	unsigned int distance;
};

void nearest_init(struct nearest *n, const char *wanted);
void nearest_offer(struct nearest *n, const char *candidate);
/* The best candidate if it is near enough to be meant (two fifths of the length, at most 4) or NULL. */
const char *nearest_name(const struct nearest *n);

#endif
