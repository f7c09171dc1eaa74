// SPDX-License-Identifier: BSD-2-Clause
/* Numbers of what threads wait for: there is a bound. */
#include <criterion/criterion.h>

#include "why/why_part.h"

#define MOST   262144
#define BEYOND 10

Test(why_objects, has_so_many_keys)
{
	static struct why why;

	for (uint64_t i = 0; i < MOST + BEYOND; i++) {
		const struct why_key key = { .a = i, .class = WHY_LOCK };

		cr_assert_eq(objects_key(&why, &key), i < MOST ? i : PATH_NONE);
	}
	cr_expect_eq(why.path.keys.n, MOST);
	cr_expect_eq(why.path.unnamed, BEYOND);
	cr_expect_eq(objects_key(&why, &(struct why_key){ .a = 7, .class = WHY_LOCK }), 7);
	set_release(&why.path.keys);
}
