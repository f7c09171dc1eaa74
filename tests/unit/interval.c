// SPDX-License-Identifier: BSD-2-Clause
/* The arguments [INTERVAL [COUNT]], and what contradicts them. */
#include <criterion/criterion.h>

#include "engine/interval.h"

static int parse(struct engine_context *ctx, const char *interval, const char *count, const char *third)
{
	const char *args[] = { interval, count, third };
	struct engine_instance instance = { .ctx = ctx };
	struct err err = {};

	instance.args.v = args;
	instance.args.n = !!interval + !!count + !!third;
	return interval_parse(&instance, &err);
}

Test(interval, arguments)
{
	struct engine_context ctx = {};

	cr_expect_eq(parse(&ctx, NULL, NULL, NULL), 0);
	cr_expect_eq(ctx.interval, 0);
	cr_expect_eq(parse(&ctx, "0.5", NULL, NULL), 0);
	cr_expect_eq(ctx.interval, 500000000);
	cr_expect_eq(ctx.duration, 0);
	ctx.interval = 0;
	cr_expect_eq(parse(&ctx, "2", "3", NULL), 0);
	cr_expect_eq(ctx.interval, 2000000000);
	cr_expect_eq(ctx.duration, 6000000000);
	cr_expect_eq(parse(&ctx, "2", NULL, NULL), -EINVAL, "given by --interval too");
	ctx.interval = 0;
	cr_expect_eq(parse(&ctx, "2", "3", NULL), -EINVAL, "given by --duration too");
	cr_expect_eq(parse(&(struct engine_context){}, "2", "3", "4"), -EINVAL);
	cr_expect_eq(parse(&(struct engine_context){}, "x", NULL, NULL), -EINVAL);
	cr_expect_eq(parse(&(struct engine_context){}, "1", "0", NULL), -EINVAL);
	cr_expect_eq(parse(&(struct engine_context){}, "10000000000", "4000000000", NULL), -EINVAL);
}
