// SPDX-License-Identifier: BSD-2-Clause
/* Bounds of histograms for exporters: each value is in the bucket that exact arithmetic puts it into. */
#include <criterion/criterion.h>
#include <math.h>

#include "metrics/metrics_bounds.h"

static const struct hist seconds = { .kind = HIST_BOUNDS, .step = HIST_BOUND_SECONDS, .divisor = 1 };
static const struct hist numbers = { .kind = HIST_BOUNDS, .step = HIST_BOUND_NUMBERS, .divisor = 1 };
static const struct hist precise = { .kind = HIST_PRECISE, .step = 1, .divisor = 1 };

/* Whether value / unit <= 2^exponent, without rounding. Values have 64 bits, exponents are -29 to 63. */
static bool is_within(uint64_t value, uint64_t unit, int exponent)
{
	__uint128_t left = value, right = unit;

	if (exponent < 0)
		left <<= -exponent;
	else
		right <<= exponent;
	return left <= right;
}

/* Returns the bucket of a value: the first whose bound is not below it. */
static size_t exact_bucket(uint64_t value, uint64_t unit, int first)
{
	size_t i = 0;

	while (i < HIST_BOUNDS_BUCKETS - 1 && !is_within(value, unit, first + (int)i))
		i++;
	return i;
}

static void expect_bucket(const struct hist *hist, uint64_t value, uint64_t unit, int first)
{
	size_t want = exact_bucket(value, unit, first), got = hist_bounded(value, hist->step);

	cr_expect_eq(got, want, "%llu is in %zu, not %zu", (unsigned long long)value, got, want);
}

/* Around each of the 64 bounds: the greatest integer that is not above it, one less, one more. */
static void expect_exact(const struct hist *hist, uint64_t unit, int first)
{
	for (int i = 0; i < HIST_BOUNDS_BUCKETS - 1; i++) {
		int exponent = first + i;
		__uint128_t bound = exponent < 0 ? (__uint128_t)unit >> -exponent : (__uint128_t)unit << exponent;

		cr_assert_eq(hist_high(hist, i), (uint64_t)bound, "high of %d", i);
		cr_assert_eq(hist_bounded(bound, hist->step), i, "at the bound of %d", i);
		cr_assert_eq(hist_bounded(bound + 1, hist->step), i + 1, "above the bound of %d", i);
		for (int by = -1; by <= 1; by++)
			expect_bucket(hist, (uint64_t)bound + by, unit, first);
	}
	expect_bucket(hist, 0, unit, first);
	expect_bucket(hist, 1, unit, first);
	expect_bucket(hist, UINT64_MAX, unit, first);
}

Test(metrics_bounds, each_bound_is_exact)
{
	expect_exact(&seconds, 1000000000, -29);
	expect_exact(&numbers, 1, 0);
}

Test(metrics_bounds, buckets_have_no_gaps)
{
	for (size_t i = 1; i < HIST_BOUNDS_BUCKETS; i++) {
		cr_expect_eq(hist_low(&seconds, i), hist_high(&seconds, i - 1) + 1);
		cr_expect_eq(hist_low(&numbers, i), hist_high(&numbers, i - 1) + 1);
	}
	cr_expect_eq(hist_high(&seconds, HIST_BOUNDS_BUCKETS - 1), UINT64_MAX);
}

static struct metrics_bounds bounds_of(const struct hist *hist, bool is_time, struct metrics_range range)
{
	const struct metrics_scale scale = { hist, is_time, range };
	struct metrics_bounds bounds = {};

	metrics_bounds_set(&bounds, &scale);
	return bounds;
}

/* Schema 0: bucket i ends at 2^i. */
static void expect_schema_0(const struct hist *hist, bool is_time)
{
	struct metrics_bounds bounds = bounds_of(hist, is_time, (struct metrics_range){});

	cr_expect(bounds.native);
	cr_expect_eq(bounds.schema, 0);
	cr_expect_eq(bounds.zero_threshold, bounds.upper[0]);
	for (size_t i = 0; i + 1 < bounds.n; i++)
		cr_expect_eq(bounds.upper[i], ldexp(1, bounds.index[i]));
	cr_expect_eq(bounds.index[bounds.n - 1], bounds.index[bounds.n - 2] + 1);
	metrics_bounds_release(&bounds);
}

Test(metrics_bounds, bounds_are_schema_0)
{
	expect_schema_0(&seconds, true);
	expect_schema_0(&numbers, false);
}

/* value^64 <= 2^i if value <= 2^(i/64) */
static long double power_64(long double value)
{
	for (int i = 0; i < 6; i++)
		value *= value;
	return value;
}

/* Schema 6: bucket i ends at 2^(i/64), and the middle of each of our buckets is within. */
static void expect_schema_6(bool is_time)
{
	struct metrics_bounds bounds = bounds_of(&precise, is_time, (struct metrics_range){});

	cr_expect_eq(bounds.schema, 6);
	cr_expect_lt(bounds.zero_threshold, is_time ? 1e-9 : 1);
	cr_expect_eq(frexp(bounds.zero_threshold, &(int){ 0 }), 0.5, "a power of two");
	for (size_t i = 1; i < bounds.n; i++) {
		long double middle = ((long double)hist_low(&precise, i) + hist_high(&precise, i)) / 2;

		if (is_time)
			middle /= 1e9L;
		cr_assert_leq(power_64(middle), ldexpl(1 + 1e-12L, bounds.index[i]), "%zu", i);
		cr_assert_gt(power_64(middle), ldexpl(1 - 1e-12L, bounds.index[i] - 1), "%zu", i);
		cr_assert(i == 1 || bounds.index[i] >= bounds.index[i - 1]);
	}
	metrics_bounds_release(&bounds);
}

Test(metrics_bounds, precise_is_schema_6)
{
	expect_schema_6(true);
	expect_schema_6(false);
}

static void expect_le(const struct hist *hist, bool is_time, struct metrics_range range, const char *want)
{
	struct metrics_bounds bounds = bounds_of(hist, is_time, range);
	__str struct str got = {};

	for (size_t i = 0; i < bounds.n_le; i++)
		str_addf(&got, "%s%s", i ? " " : "", bounds.le[i].text);
	cr_expect_str_eq(str_or_empty(got.data), want);
	metrics_bounds_release(&bounds);
}

Test(metrics_bounds, classic_formats_show_a_range)
{
	struct metrics_bounds all = bounds_of(&seconds, true, (struct metrics_range){});

	cr_expect_eq(all.n_le, 26);
	cr_expect_str_eq(all.le[0].text, "9.5367431640625e-07");
	cr_expect_str_eq(all.le[25].text, "32.0");
	metrics_bounds_release(&all);
	expect_le(&seconds, true, (struct metrics_range){ 0.25, 1, 1 }, "0.25 0.5 1.0");
	expect_le(&seconds, true, (struct metrics_range){ 0.001, 1, 4 }, "0.001953125 0.03125 0.5");
	expect_le(&numbers, false, (struct metrics_range){ 65536, 2000000, 2 }, "65536.0 262144.0 1.048576e+06");
	/* the greatest value of a bucket, which is an integer of ns */
	expect_le(&precise, true, (struct metrics_range){ 1e-6, 5e-6, 1 }, "1.023e-06 2.047e-06 4.095e-06");
}

Test(metrics_bounds, histograms_of_programs_have_their_own_bounds)
{
	const struct hist steps = { .kind = HIST_STEPS, .min = -7, .max = 10, .step = 8, .n = 5, .divisor = 1 };
	const struct hist powers = { .kind = HIST_POWERS, .bits = 1, .n = 127, .step = 1, .divisor = 1 };
	const struct hist linear = { .kind = HIST_LINEAR, .step = 10, .divisor = 1000 };

	expect_le(&steps, false, (struct metrics_range){}, "-8.0 0.0 8.0 9.0");
	expect_le(&powers, false, (struct metrics_range){ -1, 12, 1 }, "-1.0 0.0 1.0 2.0 3.0 5.0 7.0 11.0");
	/* 10 us: values of 10,000 ns are in the next bucket */
	expect_le(&linear, true, (struct metrics_range){ 0, 1.3e-4, 1 }, "3.9999e-05 7.9999e-05 0.000119999");
}

/* A double has 53 bits: bounds that it cannot tell apart are shown once, with the values of all. */
Test(metrics_bounds, no_bound_is_shown_twice)
{
	const int64_t min = (1LL << 60) + 1;
	const struct hist steps = { .kind = HIST_STEPS, .min = min, .max = min + 2, .step = 1, .n = 4, .divisor = 1 };
	struct metrics_bounds bounds = bounds_of(&steps, false, (struct metrics_range){ 0, 1e30, 1 });

	cr_assert_eq(bounds.n_le, 1);
	cr_expect_eq(bounds.le[0].bucket, 2);
	metrics_bounds_release(&bounds);
}

Test(metrics_bounds, another_scale_replaces_them)
{
	struct hist steps = { .kind = HIST_STEPS, .min = 2, .max = 3, .step = 6, .n = 3, .divisor = 1 };
	const struct metrics_scale scale = { &steps, false, {} };
	struct metrics_bounds bounds = {};

	metrics_bounds_set(&bounds, &scale);
	steps.max = 8;
	cr_expect_str_eq(bounds.le[1].text, "2.0");
	metrics_bounds_set(&bounds, &scale);
	cr_expect_str_eq(bounds.le[1].text, "7.0");
	metrics_bounds_release(&bounds);
}
