// SPDX-License-Identifier: BSD-2-Clause
/* Conditions on calls: what is one, and what is true of made-up values. */
#include <criterion/criterion.h>

#include "graph/condition.h"

/* ret is -2; small is 5, unsigned; large is 2^64 - 1; path is the text "a b"; gone is not known. */
static struct condition_value value_of(void *ctx, size_t number)
{
	const char *name = condition_name(ctx, number);

	if (!strcmp(name, "ret"))
		return (struct condition_value){ .known = true, .number = -2 };
	if (!strcmp(name, "small"))
		return (struct condition_value){ .known = true, .is_unsigned = true, .number = 5 };
	if (!strcmp(name, "large"))
		return (struct condition_value){ .known = true, .is_unsigned = true, .number = -1 };
	if (!strcmp(name, "path"))
		return (struct condition_value){ .known = true, .number = 1, .text = "a b" };
	return (struct condition_value){};
}

static bool holds(const char *text)
{
	struct err err = {};
	struct condition *condition = condition_new(text, &err);
	bool is_true;

	cr_assert(condition, "%s", err.text);
	is_true = condition_holds(condition, value_of, condition);
	condition_free(condition);
	return is_true;
}

Test(condition, is_true)
{
	static const char *const texts[] = {
		"ret < 0",
		"ret == -ENOENT",
		"ret == -2 && small == 5",
		"args.small == 5",
		"small * 2 + 1 == 11",
		"!(small > 5)",
		"small & 4",
		"small > ret", /* not as C compares */
		"ret < large",
		"large > 5",
		"small >= 5 && small <= 5 && small != 6",
		"path == \"a b\"",
		"\"a\" != path",
		"path != NULL",
		"ret",
		"gone == 1 || ret < 0",
		"ret < 0 || gone == 1",
		"!(gone == 1 && ret > 0)",
		"ret < 0 // a comment",
		"ret < 0\n&& true",
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		cr_expect(holds(texts[i]), "%s", texts[i]);
}

Test(condition, is_false)
{
	static const char *const texts[] = {
		"ret >= 0 && true",
		"large < 5",
		"ret > small",
		"large == ret", /* the same bits */
		"path == \"a\"",
		"gone == 1",
		"gone != 1",
		"!gone",
		"gone == \"a\"",
		"gone != \"a\"",
		"gone && true",
		"false",
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		cr_expect_not(holds(texts[i]), "%s", texts[i]);
}

Test(condition, refuses)
{
	static const char *const texts[] = {
		"path == \"012345678901234567890123456789012345678\"",
		"ret <",
		"ret = 3",
		"ret) {} if (1",
		"ret) {} } BEGIN { if (1",
		"ret) {} else if (1",
		"strlen(path)",
		"\"a\" == \"b\"",
		"path < \"b\"",
		"\"a\"",
		"@x",
		"$x",
		"*path",
		"(uint8)ret",
		"ret ? 1 : 0",
		"ret++",
		"path.name",
		"ret /*",
		"a + b + c + d + e + f + g + h + i",
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct err err = {};
		struct condition *condition = condition_new(texts[i], &err);

		cr_expect_not(condition, "%s", texts[i]);
		cr_expect_eq(err.code, -EINVAL);
		cr_expect(!strncmp(err.text, "--if '", 6), "%s", err.text);
		condition_free(condition);
	}
}

Test(condition, names)
{
	struct err err = {};
	struct condition *condition = condition_new("dfd == 3 && path == \"x\" && dfd < ret && -ENOENT", &err);

	cr_assert(condition, "%s", err.text);
	cr_expect_str_eq(condition_name(condition, 0), "dfd");
	cr_expect_str_eq(condition_name(condition, 1), "path");
	cr_expect_str_eq(condition_name(condition, 2), "ret");
	cr_expect_null(condition_name(condition, 3));
	cr_expect_not(condition_wants_text(condition, 0));
	cr_expect(condition_wants_text(condition, 1));
	condition_free(condition);
}
