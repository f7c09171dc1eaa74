// SPDX-License-Identifier: BSD-2-Clause
/*
 * Computes the bounds of each kind of histogram (bpf/hist.h). Needs no logarithm and hence no libm: powers of two are
 * exact, and the parts between two of them are found by multiplying.
 */
#include <math.h>

#include "metrics_number.h"

/* Default ranges. Of seconds: about 1 us to 32 s; of other units up to 2^30. */
#define SECONDS_LOW   0x1p-20
#define SECONDS_HIGH  0x1p5
#define NUMBERS_HIGH  0x1p30
#define PROGRAMS_HIGH 0x1p36 /* in ns about a minute, in bytes 64 GB */

#define LINEAR_STEP 4  /* of the 256 buckets of a linear histogram, text shows 64 */
#define LONG_SHOWN  64 /* of long lists, text shows about so many */

/* The exponent of the bound of bucket 0: 2^-29 s is the one between 1 and 2 ns. */
#define SECONDS_EXPONENT -29

/* 2^(1/HIST_PARTS) */
#define PART_RATIO 1.01088928605170046

static bool is_bounded(const struct metrics_bounds *bounds)
{
	return bounds->hist.kind == HIST_BOUNDS;
}

/* Returns the least bound of HIST_BOUNDS as an exponent of two. */
static int first_exponent(const struct metrics_bounds *bounds)
{
	return bounds->scale.seconds ? SECONDS_EXPONENT : 0;
}

static double in_base_unit(const struct metrics_bounds *bounds, long double value)
{
	return bounds->scale.seconds ? value / 1000000000 : value;
}

/* Values are integers, so the greatest one of a bucket is its inclusive bound. They were divided after measuring. */
static double upper_of(const struct metrics_bounds *bounds, size_t bucket)
{
	const struct hist *hist = &bounds->hist;

	if (is_bounded(bounds))
		return ldexp(1, first_exponent(bounds) + (int)bucket);
	if (hist_has_negative(hist))
		return in_base_unit(bounds, (int64_t)hist_high(hist, bucket));
	return in_base_unit(bounds, ((long double)hist_high(hist, bucket) + 1) * hist->divisor - 1);
}

/* --- native buckets --- */

/* Returns the number of the bucket of schema HIST_PART_BITS that has the value. */
static int32_t native_index(double value)
{
	int exponent, part;
	double fraction = frexp(value, &exponent), bound = 0.5;

	for (part = 0; part < HIST_PARTS && bound < fraction; part++)
		bound *= PART_RATIO;
	return (exponent - 1) * HIST_PARTS + part;
}

/* Each bucket of a precise histogram goes to the native bucket that has its middle. Both are 1 % wide. */
static void set_precise_index(struct metrics_bounds *bounds)
{
	const struct hist *hist = &bounds->hist;
	int exponent;

	for (size_t i = 1; i < bounds->n; i++) {
		long double middle = ((long double)hist_low(hist, i) + hist_high(hist, i)) / 2;

		bounds->index[i] = native_index(in_base_unit(bounds, middle * hist->divisor));
	}
	/* bucket 0 has the value 0 only: the threshold is a power of two below the next value */
	frexp(in_base_unit(bounds, hist->divisor), &exponent);
	bounds->zero_threshold = ldexp(1, exponent - 2);
	bounds->schema = HIST_PART_BITS;
}

static void set_index(struct metrics_bounds *bounds)
{
	bounds->native = is_bounded(bounds) || bounds->hist.kind == HIST_PRECISE;
	if (!bounds->native)
		return;
	bounds->index = base_alloc(bounds->n * sizeof(*bounds->index));
	if (!is_bounded(bounds)) {
		set_precise_index(bounds);
		return;
	}
	for (size_t i = 0; i < bounds->n; i++)
		bounds->index[i] = first_exponent(bounds) + (int)i;
	bounds->zero_threshold = bounds->upper[0];
	bounds->schema = 0;
}

/* --- what text shows --- */

/* Returns the distance of the bounds that text shows by default. */
static size_t default_step(const struct metrics_bounds *bounds)
{
	switch (bounds->hist.kind) {
	case HIST_LINEAR:
		return LINEAR_STEP;
	case HIST_PRECISE:
		return HIST_PARTS;
	case HIST_POWERS:
	case HIST_STEPS:
		return 1 + (bounds->n - 1) / (2 * LONG_SHOWN);
	default:
		return 1;
	}
}

static void default_range(const struct metrics_bounds *bounds, struct metrics_range *range)
{
	if (range->high != 0)
		return;
	if (hist_has_negative(&bounds->hist))
		*range = (struct metrics_range){ -INFINITY, PROGRAMS_HIGH, range->step };
	else if (bounds->hist.kind == HIST_LINEAR)
		*range = (struct metrics_range){ 0, INFINITY, range->step };
	else if (bounds->scale.seconds)
		*range = (struct metrics_range){ SECONDS_LOW, SECONDS_HIGH, range->step };
	else
		*range = (struct metrics_range){ 0, NUMBERS_HIGH, range->step };
}

/* Doubles cannot tell all integers apart: of buckets with the same bound, the last one counts. */
static bool is_distinct(const struct metrics_bounds *bounds, size_t bucket)
{
	return bucket + 2 >= bounds->n || bounds->upper[bucket] < bounds->upper[bucket + 1];
}

static void choose_le(struct metrics_bounds *bounds)
{
	struct metrics_range range = bounds->scale.range;
	size_t step = default_step(bounds), found = 0;

	default_range(bounds, &range);
	bounds->le = base_alloc(bounds->n * sizeof(*bounds->le));
	for (size_t i = step - 1; i + 1 < bounds->n; i += step) {
		__str struct str text = {};
		struct metrics_le *le = &bounds->le[bounds->n_le];

		if (bounds->upper[i] < range.low || bounds->upper[i] > range.high || !is_distinct(bounds, i))
			continue;
		if (range.step > 1 && found++ % range.step)
			continue;
		metrics_number_add_le(&text, bounds->upper[i]);
		le->bucket = i;
		snprintf(le->text, sizeof(le->text), "%s", text.data);
		bounds->n_le++;
	}
}

/* --- all --- */

static bool is_set(const struct metrics_bounds *bounds, const struct metrics_scale *scale)
{
	const struct hist *hist = &bounds->hist, *other = scale->hist;
	const struct metrics_range *range = &bounds->scale.range;

	return bounds->n && hist->kind == other->kind && hist->step == other->step && hist->divisor == other->divisor &&
	       hist->n == other->n && hist->bits == other->bits && hist->min == other->min && hist->max == other->max &&
	       bounds->scale.seconds == scale->seconds && range->low == scale->range.low &&
	       range->high == scale->range.high && range->step == scale->range.step;
}

void metrics_bounds_set(struct metrics_bounds *bounds, const struct metrics_scale *scale)
{
	if (is_set(bounds, scale))
		return;
	metrics_bounds_release(bounds);
	bounds->scale = *scale;
	bounds->hist = *scale->hist;
	bounds->scale.hist = NULL;
	bounds->n = hist_buckets(&bounds->hist);
	bounds->upper = base_alloc(bounds->n * sizeof(*bounds->upper));
	for (size_t i = 0; i + 1 < bounds->n; i++)
		bounds->upper[i] = upper_of(bounds, i);
	set_index(bounds);
	choose_le(bounds);
}

void metrics_bounds_release(struct metrics_bounds *bounds)
{
	free(bounds->upper);
	free(bounds->le);
	free(bounds->index);
	*bounds = (struct metrics_bounds){};
}
