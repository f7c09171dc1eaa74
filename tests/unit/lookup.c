// SPDX-License-Identifier: BSD-2-Clause
/* The hash table of numbers. */
#include <criterion/criterion.h>

#include "base/lookup.h"

static void release(struct lookup *lookup)
{
	lookup_release(lookup);
	cr_expect(!lookup->n && !lookup->slots);
}

static size_t count(const struct lookup *lookup, uint32_t hash)
{
	size_t n = 0;

	lookup_each(it, lookup, hash)
		n++;
	return n;
}

/* The numbers of one hash must come in their order. */
static void expect(const struct lookup *lookup, uint32_t hash, uint32_t first, uint32_t step, size_t n)
{
	size_t i = 0;

	lookup_each(it, lookup, hash) {
		cr_assert_eq(it.number, first + i * step, "hash %u: %zu is %u", hash, i, it.number);
		i++;
	}
	cr_expect_eq(i, n, "hash %u: %zu numbers", hash, i);
}

Test(lookup, is_empty_first)
{
	struct lookup lookup = {};

	cr_expect_eq(count(&lookup, 0), 0);
	lookup_reset(&lookup);
	release(&lookup);
}

/* Hashes that begin in the last slots: the first slots hold the rest of their numbers, also after each growth. */
Test(lookup, keeps_the_order_of_equal_hashes_while_it_grows)
{
	struct lookup lookup = {};

	for (uint32_t i = 0; i < 3000; i++) {
		lookup_add(&lookup, UINT32_MAX - i % 3, i);
		if (i % 100 == 99 || i < 100)
			for (uint32_t hash = 0; hash < 3; hash++)
				expect(&lookup, UINT32_MAX - hash, hash, 3, (i + 3 - hash) / 3);
	}
	cr_expect_eq(count(&lookup, 0), 0);
	cr_expect_eq(lookup.n, 3000);
	release(&lookup);
}

/* All hashes that share a slot in a table of any size up to 2^20, then hashes that share none. */
Test(lookup, tells_hashes_apart_that_share_a_slot)
{
	struct lookup lookup = {};

	for (uint32_t i = 0; i < 1000; i++)
		lookup_add(&lookup, i << 20, i);
	for (uint32_t i = 0; i < 1000; i++)
		expect(&lookup, i << 20, i, 1, 1);
	cr_expect_eq(count(&lookup, 1000 << 20), 0);
	for (uint32_t i = 1000; i < 20000; i++)
		lookup_add(&lookup, i, i);
	for (uint32_t i = 1000; i < 20000; i++)
		expect(&lookup, i, i, 1, 1);
	cr_expect_leq(lookup.n * 4, lookup.n_slots * 3);
	release(&lookup);
}

Test(lookup, keeps_its_memory_when_it_is_reset)
{
	struct lookup lookup = {};
	struct lookup_slot *slots;

	lookup_reserve(&lookup, 1000);
	slots = lookup.slots;
	for (uint32_t round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < 1000; i++)
			lookup_add(&lookup, i, i + round);
		for (uint32_t i = 0; i < 1000; i++)
			expect(&lookup, i, i + round, 1, 1);
		lookup_reset(&lookup);
		cr_expect_eq(count(&lookup, 7), 0);
	}
	cr_expect_eq(lookup.slots, slots);
	release(&lookup);
}
