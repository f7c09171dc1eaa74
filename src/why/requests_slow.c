// SPDX-License-Identifier: BSD-2-Clause
/* A running histogram of latencies, of which the last ones count most (requests_slow.h). */
#include "requests_slow.h"

#define PARTS_LOG2 REQUESTS_SLOW_PARTS_LOG2
/* With so many requests, all are halved. And the least that say who is slow, after so many it is said anew. */
#define MOST	20000
#define LEAST	1000
#define SLOWEST 100 /* one of so many */

/* The number of a bound: its highest bits. */
static uint32_t rank_of(uint64_t ns)
{
	const unsigned int high = ns ? 63 - __builtin_clzll(ns) : 0;
	const uint64_t part = high > PARTS_LOG2 ? ns >> (high - PARTS_LOG2) : ns << (PARTS_LOG2 - high);

	return high << PARTS_LOG2 | (part & ((1 << PARTS_LOG2) - 1));
}

static uint64_t least_of(uint32_t rank)
{
	const unsigned int high = rank >> PARTS_LOG2;
	const uint64_t part = 1 << PARTS_LOG2 | (rank & ((1 << PARTS_LOG2) - 1));

	return high > PARTS_LOG2 ? part << (high - PARTS_LOG2) : part >> (PARTS_LOG2 - high);
}

/* The bound at which the slowest one of SLOWEST begin. */
static void find_least(struct requests_slow *slow)
{
	uint64_t above = 0;
	uint32_t rank = REQUESTS_SLOW_RANKS;

	while (rank && above < slow->n / SLOWEST)
		above += slow->ranks[--rank];
	slow->least = least_of(rank);
}

/* The slowest ones are alone in their ranks: one that is left over goes to the next rank, and is not dropped. */
static void halve(struct requests_slow *slow)
{
	uint32_t left = 0;

	for (uint32_t rank = REQUESTS_SLOW_RANKS; rank-- > 0;) {
		const uint32_t n = slow->ranks[rank] + left;

		slow->ranks[rank] = n / 2;
		left = n % 2;
	}
	slow->n /= 2;
}

bool requests_slow_add(struct requests_slow *slow, uint64_t ns)
{
	const bool is_slow = slow->least && ns >= slow->least;

	slow->ranks[rank_of(ns)]++;
	if (++slow->n % LEAST == 0)
		find_least(slow);
	if (slow->n >= MOST)
		halve(slow);
	return is_slow;
}
