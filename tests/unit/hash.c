// SPDX-License-Identifier: BSD-2-Clause
/* Hashes of bytes and numbers. */
#include <criterion/criterion.h>

#include "base/hash.h"

/* Values of CPython 3.11, which uses the same function: PYTHONHASHSEED=0 python3 -c 'print(hash(b"abcdefg"))' */
Test(hash, hashes_with_siphash)
{
	static const struct {
		const char *text;
		uint64_t hash;
	} cases[] = {
		{ "a", 0x407448d2b89b1813 },

		{ "ab", 0x555508cbc6add439 },
		{ "abc", 0xc03bc3a0042630f2 },
		{ "abcd", 0xe3d1d5fdd52aae89 },
		{ "abcde", 0x251f3c725bd784a2 },
		{ "abcdefg", 0x6db12aae9070f506 },
		{ "abcdefgh", 0x3f7b849c0b8e35ea },
		{ "abcdefghi", 0xf89b34a3d11eb6e5 },
		{ "0123456789abcdefXYZ", 0x283e7687cd67183b },
	};
	const uint64_t zero[2] = {}, other[2] = { 1 };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t len = strlen(cases[i].text);

		cr_expect_eq(hash_sip(zero, cases[i].text, len), cases[i].hash, "%s", cases[i].text);
		cr_expect_neq(hash_sip(other, cases[i].text, len), cases[i].hash, "%s", cases[i].text);
	}
}

/* A process's key is its own: keys that collide without a key, or with another, do not. */
Test(hash, has_a_random_key)
{
	const uint64_t zero[2] = {};

	cr_expect_neq(hash_bytes("abc", 3), (uint32_t)hash_sip(zero, "abc", 3));
	cr_expect_eq(hash_bytes("abc", 3), hash_bytes("abc", 3));
}

/* Addresses differ in few bits, and pids in few others: 4096 of 64 * 64 such pairs must find places in 8192 slots. */
Test(hash, spreads_pairs_of_numbers)
{
	for (int shift = 0; shift < 64 - 6; shift++) {
		unsigned char slots[8192] = {};
		int most = 0;

		for (uint64_t a = 0; a < 64; a++)
			for (uint64_t b = 0; b < 64; b++) {
				unsigned char *slot = &slots[hash_pair(a << shift, b << shift) % ARRAY_SIZE(slots)];

				most = ++*slot > most ? *slot : most;
			}
		cr_expect_leq(most, 10, "numbers << %d: %d in one slot", shift, most);
	}
	cr_expect_neq(hash_pair(1, 2), hash_pair(2, 1));
}

/* The test vectors of http://www.isthe.com/chongo/tech/comp/fnv/ */
Test(hash, is_stable)
{
	cr_expect_eq(hash_stable(HASH_STABLE_NONE, "", 0), 0xcbf29ce484222325);
	cr_expect_eq(hash_stable(HASH_STABLE_NONE, "a", 1), 0xaf63dc4c8601ec8c);
	cr_expect_eq(hash_stable(HASH_STABLE_NONE, "foobar", 6), 0x85944171f73967e8);
	cr_expect_eq(hash_stable(hash_stable(HASH_STABLE_NONE, "foo", 3), "bar", 3), 0x85944171f73967e8);
}
