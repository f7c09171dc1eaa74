// SPDX-License-Identifier: BSD-2-Clause
/* The set of byte strings. */
#include <criterion/criterion.h>

#include "base/set.h"

static void release(struct set *set)
{
	set_release(set);
	cr_expect(!set->n && !set->v && !set->slots);
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
	cr_expect_leq(set.n * 4, set.n_slots * 3);
	release(&set);
}

/* Values of CPython 3.11, which uses the same function: PYTHONHASHSEED=0 python3 -c 'print(hash(b"abcdefg"))' */
Test(set, hashes_with_siphash)
{
	static const struct {
		const char *text;
		uint64_t hash;
	} cases[] = {
		{ "a", 0x407448d2b89b1813 },
		{ "abcdefg", 0x6db12aae9070f506 },
		{ "abcdefgh", 0x3f7b849c0b8e35ea },
		{ "abcdefghi", 0xf89b34a3d11eb6e5 },
		{ "0123456789abcdefXYZ", 0x283e7687cd67183b },
	};
	const uint64_t zero[2] = {}, other[2] = { 1 };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t len = strlen(cases[i].text);

		cr_expect_eq(set_hash(zero, cases[i].text, len), cases[i].hash, "%s", cases[i].text);
		cr_expect_neq(set_hash(other, cases[i].text, len), cases[i].hash, "%s", cases[i].text);
	}
}

/* A process's key is its own: members that collide without a key, or with another, do not. */
Test(set, has_a_random_key)
{
	const uint64_t zero[2] = {};
	struct set set = {};

	set_add(&set, "abc", 3);
	cr_expect_neq(set.v[0].hash, (uint32_t)set_hash(zero, "abc", 3));
	release(&set);
}
