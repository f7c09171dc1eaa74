/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which requests are slow, for an exporter: one of 100, by those before it. Bounds of a histogram are 6 % apart, and
 * those that last as long as the quickest slow one are slow, too.
 */
#ifndef SONDE_WHY_REQUESTS_SLOW_H
#define SONDE_WHY_REQUESTS_SLOW_H

#include "base/base.h"

/* Bounds: 16 of each power of two. */
#define REQUESTS_SLOW_PARTS_LOG2 4
#define REQUESTS_SLOW_RANKS	 (64 << REQUESTS_SLOW_PARTS_LOG2)

/* Initialise with {}. */
struct requests_slow {
	uint32_t ranks[REQUESTS_SLOW_RANKS];
	uint64_t n;	/* in ranks */
	uint64_t least; /* ns from which on they are slow; 0: not known yet */
};

/* Returns whether it is slow, and remembers it. The first 1,000 are not. */
bool requests_slow_add(struct requests_slow *slow, uint64_t ns);

#endif
