// SPDX-License-Identifier: BSD-2-Clause
/* Arithmetic with constants, which the parser, #if, the checker and the folding of code share. */
#include <criterion/criterion.h>

#include "lang/text/operator.h"

static const struct {
	int64_t a;
	const char *op;
	int64_t b, as_signed, as_unsigned;
} cases[] = {
	{ INT64_MAX, "+", 1, INT64_MIN, INT64_MIN },
	{ INT64_MIN, "-", 1, INT64_MAX, INT64_MAX },
	{ INT64_MIN, "*", -1, INT64_MIN, INT64_MIN },
	{ -7, "/", 2, -3, INT64_MAX - 3 },
	{ -7, "%", 2, -1, 1 },
	{ INT64_MIN, "/", -1, INT64_MIN, 0 },
	{ INT64_MIN, "%", -1, 0, INT64_MIN },
	{ 5, "/", 0, 0, 0 },
	{ 5, "%", 0, 5, 5 },
	{ 1, "<<", 65, 2, 2 },
	{ -8, ">>", 1, -4, INT64_MAX - 3 },
	{ -1, "<", 1, 1, 0 },
	{ -1, "<=", 1, 1, 0 },
	{ -1, ">", 1, 0, 1 },
	{ 1, ">=", 1, 1, 1 },
	{ 6, "&", 3, 2, 2 },
	{ 6, "|", 3, 7, 7 },
	{ 6, "^", 3, 5, 5 },
	{ 6, "&&", 3, 1, 1 },
	{ 0, "||", 0, 0, 0 },
	{ 6, "==", 3, 0, 0 },
	{ 6, "!=", 3, 1, 1 },
};

Test(lang_operator, compute)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct binary_operator *found = operator_find(cases[i].op);

		cr_assert(found, "%s", cases[i].op);
		cr_expect_eq(operator_compute(found->op, cases[i].a, cases[i].b, true), cases[i].as_signed,
			     "%lld %s %lld", (long long)cases[i].a, cases[i].op, (long long)cases[i].b);
		cr_expect_eq(operator_compute(found->op, cases[i].a, cases[i].b, false), cases[i].as_unsigned,
			     "unsigned %lld %s %lld", (long long)cases[i].a, cases[i].op, (long long)cases[i].b);
	}
	cr_expect_null(operator_find("!"));
}
