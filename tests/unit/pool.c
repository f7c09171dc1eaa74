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
