// SPDX-License-Identifier: BSD-2-Clause
/* The rows of the language's functions: all are complete, and no name is there twice. */
#include <criterion/criterion.h>

#include "lang/lower/lowering.h"

Test(lang_functions, complete)
{
	size_t n;
	const struct function *const *list = function_list(&n);

	cr_assert_gt(n, 0);
	for (size_t i = 0; i < n; i++) {
		const struct function *f = list[i];

		cr_expect_eq(function_find(f->name), f, "%s() is there twice", f->name);
		cr_expect_leq(f->min_args, f->max_args, "%s()", f->name);
		cr_expect(f->check, "%s() has no check", f->name);
		/* values of maps are added to by type; the code of every other function is its own */
		cr_expect_eq(!f->lower, f->is_aggregate, "%s() has no code", f->name);
		cr_expect_eq(f->lower == lower_instead, f->instead != NULL, "%s() is not supported: what is?", f->name);
		cr_expect_null(function_hint(f->name), "%s() is here, and not elsewhere", f->name);
	}
	cr_expect_null(function_find("no_such_function"));
	cr_expect_null(function_find(""));
}
