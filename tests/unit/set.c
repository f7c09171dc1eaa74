// SPDX-License-Identifier: BSD-2-Clause
/* The set of byte strings. */
#include <criterion/criterion.h>

#include "base/set.h"

static void release(struct set *set)
{
	set_release(set);
	cr_expect(!set->n && !set->v && !set->lookup.slots);
}

Test(set, numbers_members_in_the_order_in_which_they_came)
{
	struct set set = {};

	cr_expect_eq(set_add(&set, "abc", 3), 0);
	cr_expect_eq(set_add(&set, "ab", 2), 1);
	cr_expect_eq(set_add(&set, NULL, 0), 2);
	cr_expect_eq(set_add(&set, "abd", 3), 3);
	cr_expect_eq(set_add(&set, "abc", 3), 0);
	cr_expect_eq(set_add(&set, "ab", 2), 1);
	cr_expect_eq(set_add(&set, "", 0), 2);
	cr_expect_eq(set.n, 4);
	cr_expect_eq(set.v[3].len, 3);
	cr_expect(!memcmp(set.v[3].bytes, "abd", 3));
	release(&set);
}

Test(set, keeps_its_members_while_it_grows)
{
	struct set set = {};

	for (int round = 0; round < 2; round++)
		for (uint64_t i = 0; i < 100000; i++) {
			const uint64_t pointer = 0x7f0000000000 + i * 64;

			cr_assert_eq(set_add(&set, &pointer, sizeof(pointer)), i);
		}
	cr_expect_eq(set.n, 100000);
	release(&set);
}

Test(set, has_a_bound_where_it_is_given_one)
{
	struct set set = {};

	cr_expect_eq(set_add_most(&set, "abc", 3, 0), SET_NONE);
	cr_expect_eq(set_add_most(&set, "abc", 3, 2), 0);
	cr_expect_eq(set_add_most(&set, "ab", 2, 2), 1);
	cr_expect_eq(set_add_most(&set, "a", 1, 2), SET_NONE);
	cr_expect_eq(set_add_most(&set, "ab", 2, 2), 1);
	cr_expect_eq(set.n, 2);
	release(&set);
}

Test(set, finds_only_members)
{
	struct set set = {};

	cr_expect_eq(set_find(&set, "abc", 3), SET_NONE);
	set_add(&set, "abc", 3);
	set_add(&set, "", 0);
	cr_expect_eq(set_find(&set, "abc", 3), 0);
	cr_expect_eq(set_find(&set, NULL, 0), 1);
	cr_expect_eq(set_find(&set, "ab", 2), SET_NONE);
	release(&set);
}
