// SPDX-License-Identifier: BSD-2-Clause
/* Regular expressions as options. What is refused: tests/unit/match.c. */
#include <criterion/criterion.h>

#include "probe/regex.h"

Test(regex, without_the_option_all_match)
{
	struct regex_option option = {};

	cr_expect(regex_matches(&option, ""));
	cr_expect(regex_matches(&option, "any"));
}

Test(regex, last_option_counts)
{
	struct regex_option option = {};
	struct err err = {};

	cr_assert_eq(regex_set(&option, "^a+$", &err), 0);
	cr_expect(regex_matches(&option, "aa"));
	cr_expect(!regex_matches(&option, "ab"));
	cr_assert_eq(regex_set(&option, "^(b|c)$", &err), 0);
	cr_expect(regex_matches(&option, "c"));
	cr_expect(!regex_matches(&option, "aa"));
	cr_expect_eq(regex_set(&option, "(", &err), -EINVAL);
	cr_expect(!option.given);
}
