// SPDX-License-Identifier: BSD-2-Clause
#include <stdint.h>

#include <criterion/criterion.h>

#include "base/pool.h"

Test(pool, copies_are_aligned)
{
	struct pool pool = {};
	const uint64_t number = 7, *copy;

	pool_add(&pool, "xy");
	copy = pool_copy(&pool, &number, sizeof(number));
	cr_assert(!((uintptr_t)copy % _Alignof(uint64_t)));
	cr_assert_eq(*copy, 7);
	pool_release(&pool);
}

/* The sanitizers refuse memcpy() of NULL, also if no bytes are copied. */
Test(pool, nothing_has_no_copy)
{
	struct pool pool = {};

	cr_assert_null(pool_copy(&pool, NULL, 0));
	pool_release(&pool);
}

/* Blocks are never used twice, so that all of a pool's memory is zero at first. */
Test(pool, memory_is_zeroed_and_aligned)
{
	struct pool pool = {};

	for (size_t i = 0; i < 2000; i++) {
		uint8_t *memory = pool_alloc(&pool, i % 100);

		cr_assert(!((uintptr_t)memory % _Alignof(max_align_t)));
		for (size_t k = 0; k < i % 100; k++)
			cr_assert(!memory[k]);
		memset(memory, 0xff, i % 100);
		pool_add(&pool, "x");
	}
	pool_release(&pool);
}
