// SPDX-License-Identifier: BSD-2-Clause
/* Binary search compared with looking at each element. */
#include <criterion/criterion.h>

#include "base/base.h"
#include "base/search.h"

/* Every array of up to N elements that rises by 0 or 1 from one to the next, searched for every value. */
#define N 6

static size_t look_at_each(const int *v, size_t n, int key)
{
	size_t i = 0;

	while (i < n && v[i] < key)
		i++;
	return i;
}

Test(search, first_of_every_small_array)
{
	for (size_t n = 0; n <= N; n++)
		for (unsigned int rises = 0; rises < 1 << N; rises++) {
			int v[N + 1] = { 0 };

			for (size_t i = 1; i < n; i++)
				v[i] = v[i - 1] + (rises >> i & 1);
			for (int key = -1; key <= N; key++)
				cr_expect_eq(search_first(i, n, v[i] >= key), look_at_each(v, n, key),
					     "%zu elements, %x, key %d", n, rises, key);
		}
}

Test(search, looks_at_few)
{
	size_t looked = 0;

	cr_expect_eq(search_first(i, 1 << 20, (looked++, i >= 777777)), 777777);
	cr_expect_leq(looked, 21);
}
