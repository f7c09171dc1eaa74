// SPDX-License-Identifier: BSD-2-Clause
/* Counters: totals of all shards, of memory that programs would have written. */
#include <criterion/criterion.h>

#include "engines/counters.h"

#define SLOTS 3

Test(counters, totals_of_all_shards)
{
	const struct target_set none = {};
	const struct attach_options options = {};
	struct engine_context ctx = {};
	struct engine_instance instance = { .ctx = &ctx };
	struct counters counters = { .instance = &instance, .set = { .n_slots = SLOTS } };
	uint64_t *memory;
	size_t words;

	counters.shards = shards_of(SLOTS * sizeof(uint64_t));
	counters.shards.n = 2;
	words = counters.shards.size / sizeof(uint64_t);
	cr_assert_geq(words, SLOTS);
	memory = base_alloc(2 * counters.shards.size);
	counters.memory = memory;
	counters.totals = base_alloc(SLOTS * sizeof(uint64_t));
	counters.attach = attach_new(&none, &options);
	memory[0] = 5;
	memory[2] = 7;
	memory[words] = 1;
	memory[words + 1] = 2;
	counters_update(&counters);
	cr_expect_eq(counters.totals[0], 6);
	cr_expect_eq(counters.totals[1], 2);
	cr_expect_eq(counters.totals[2], 7);
	cr_expect_eq(counters.missed, 0);
	memory[1] = 1ULL << 40;
	counters_update(&counters);
	cr_expect_eq(counters.totals[1], (1ULL << 40) + 2);
	counters_release(&counters);
	free(memory);
}
