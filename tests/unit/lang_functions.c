// SPDX-License-Identifier: BSD-2-Clause
/* The rows of the language's functions and builtins: all are complete, and no name is there twice. */
#include <criterion/criterion.h>

#include "lang/lower/lowering.h"

static void expect_whole(const struct function *f)
{
	cr_expect(f->check, "%s has no check", f->name);
	/* values of maps are added to by type; the code of all else is its own */
	cr_expect_eq(!f->lower, f->is_aggregate, "%s has no code", f->name);
	cr_expect_eq(f->lower == lower_instead, f->instead != NULL, "%s is not supported: what is?", f->name);
	cr_expect_null(function_hint(f->name), "%s is here, and not elsewhere", f->name);
}

Test(lang_functions, complete)
{
	size_t n;
	const struct function *const *list = function_list(&n);

	cr_assert_gt(n, 0);
	for (size_t i = 0; i < n; i++) {
		cr_expect_eq(function_find(list[i]->name), list[i], "%s() is there twice", list[i]->name);
		cr_expect_leq(list[i]->min_args, list[i]->max_args, "%s()", list[i]->name);
		expect_whole(list[i]);
	}
	cr_expect_null(function_find("no_such_function"));
	cr_expect_null(function_find(""));
}

Test(lang_functions, builtins_complete)
{
	size_t n;
	const struct function *const *list = builtin_list(&n);

	cr_assert_gt(n, 0);
	for (size_t i = 0; i < n; i++) {
		cr_expect_eq(builtin_find(list[i]->name), list[i], "%s is there twice", list[i]->name);
		cr_expect_eq(list[i]->max_args, 0, "%s takes no arguments", list[i]->name);
		cr_expect(list[i]->probes || !list[i]->hint, "%s is in all probes: no hint is used", list[i]->name);
		expect_whole(list[i]);
	}
	cr_expect_null(builtin_find("no_such_builtin"));
}
