/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the name that is nearest to a misspelt one, for "did you mean". */
#ifndef SONDE_BASE_NEAREST_H
#define SONDE_BASE_NEAREST_H

#include "base.h"

/*
 * Keeps the candidate with the least edit distance; the first one wins a tie. The distance is Damerau's in its
 * restricted form (optimal string alignment): the number of inserted, removed, replaced and swapped adjacent
 * characters, where no substring is edited twice. Names of 128 bytes or more are ignored.
 */
struct nearest {
	const char *wanted; /* not copied: must stay valid as long as the struct is used */
	char name[128];
	unsigned int distance;
};

/* n needs no release. */
void nearest_init(struct nearest *n, const char *wanted);
/* Compares one more candidate. It is copied if it is the nearest so far. */
void nearest_offer(struct nearest *n, const char *candidate);
/*
 * Returns the best candidate if it is near enough to be what the user meant: at most two fifths of the wanted
 * name's length and at most 4 edits away. Else NULL. The text is valid as long as n is.
 */
const char *nearest_name(const struct nearest *n);

#endif
