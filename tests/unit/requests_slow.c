// SPDX-License-Identifier: BSD-2-Clause
/* Which requests are slow: one of 100, also where the slowest are alone in their ranks. */
#include <criterion/criterion.h>
#include <math.h>

#include "why/requests_slow.h"

/* Returns how many of n requests are slow whose latency is exponential with this mean. */
static size_t count_slow(struct requests_slow *slow, size_t n, double mean, unsigned int seed)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++)
		found += requests_slow_add(slow, -mean * log((rand_r(&seed) + 1.0) / (RAND_MAX + 1.0)));
	return found;
}

Test(requests_slow, one_of_100)
{
	static const double means[] = { 50000, 1e6, 3e8 };

	for (size_t i = 0; i < ARRAY_SIZE(means); i++) {
		struct requests_slow slow = {};
		const size_t found = count_slow(&slow, 100000, means[i], i + 1);

		cr_assert(found >= 900 && found <= 1300, "%zu of 100000 with a mean of %g ns", found, means[i]);
	}
}

/* The slowest ones have a rank each: halving must not lose them. */
Test(requests_slow, long_tail)
{
	struct requests_slow slow = {};
	size_t found = 0;

	for (uint64_t i = 0; i < 200000; i++)
		found += requests_slow_add(&slow, i % 100 ? 1000 + i % 7 : 1ULL << (20 + i / 100 % 40));
	cr_assert(found >= 1900 && found <= 2600, "%zu of 200000", found);
}

/* After a day in which all is ten times as quick, those are slow that are slow now. */
Test(requests_slow, last_ones_count)
{
	struct requests_slow slow = {};
	size_t found;

	count_slow(&slow, 100000, 1e7, 1);
	count_slow(&slow, 100000, 1e6, 2);
	found = count_slow(&slow, 100000, 1e6, 3);
	cr_assert(found >= 900 && found <= 1300, "%zu of 100000", found);
}
