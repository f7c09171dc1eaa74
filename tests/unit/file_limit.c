// SPDX-License-Identifier: BSD-2-Clause
/* The limit of open files is raised, as far as it may be. */
#include <criterion/criterion.h>
#include <sys/resource.h>

#include "base/file_limit.h"

Test(file_limit, is_raised)
{
	struct rlimit limit;

	cr_assert_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = 100;
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	cr_expect_gt(file_limit_raise(), 100);
	cr_assert_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	cr_expect_gt(limit.rlim_cur, 100);
	cr_expect_eq(file_limit_raise(), limit.rlim_cur);
}
