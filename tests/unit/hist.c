// SPDX-License-Identifier: BSD-2-Clause
/* Histograms: the bucket of a value, merging, percentiles, and charts. */
#include <criterion/criterion.h>

#include "output/hist.h"
#include "output_fixture.h"

static const struct hist log2_ns = { .kind = HIST_LOG2, .step = 1, .divisor = 1, .unit = "nsecs" };
static const struct hist by_ten = { .kind = HIST_LINEAR, .step = 10, .divisor = 1000, .unit = "usecs" };
static const struct hist precise = { .kind = HIST_PRECISE, .step = 1, .divisor = 1, .unit = "nsecs" };

static size_t bucket_of(const struct hist *hist, uint64_t value)
{
	if (hist->kind == HIST_LINEAR)
		return hist_linear(value, hist->step);
	return hist->kind == HIST_LOG2 ? hist_log2(value) : hist_precise(value);
}

/* Adds a value as BPF programs do (bpf/hist.bpf.h). */
static void add(const struct hist *hist, uint64_t *cells, uint64_t value)
{
	cells[HIST_SUM] += value;
	value /= hist->divisor;
	if (hist->kind == HIST_PRECISE && value > cells[HIST_MAX])
		cells[HIST_MAX] = value;
	cells[HIST_BUCKETS + bucket_of(hist, value)]++;
}

static uint64_t *cells_new(const struct hist *hist)
{
	return base_alloc(hist_words(hist) * sizeof(uint64_t));
}

/* Each bucket begins at the end of the previous one, and holds its first and last value. */
static void expect_buckets_without_gaps(const struct hist *hist)
{
	size_t n = hist_buckets(hist);

	cr_assert_eq(hist_low(hist, 0), 0);
	cr_assert_eq(hist_high(hist, n - 1), UINT64_MAX);
	for (size_t i = 0; i < n; i++) {
		cr_assert_eq(bucket_of(hist, hist_low(hist, i)), i, "low of %zu", i);
		cr_assert_eq(bucket_of(hist, hist_high(hist, i)), i, "high of %zu", i);
		if (i)
			cr_assert_eq(hist_high(hist, i - 1) + 1, hist_low(hist, i), "before %zu", i);
	}
}

Test(hist, buckets_have_no_gaps)
{
	expect_buckets_without_gaps(&log2_ns);
	expect_buckets_without_gaps(&by_ten);
	expect_buckets_without_gaps(&precise);
}

Test(hist, linear_ends)
{
	cr_assert_eq(hist_linear(2549, 10), 254);
	cr_assert_eq(hist_linear(2550, 10), 255);
	cr_assert_eq(hist_linear(2560, 10), 255);
	cr_assert_eq(hist_linear(2, 1), 2);
}

Test(hist, log2_of_edges)
{
	cr_assert_eq(hist_log2(0), 0);
	cr_assert_eq(hist_log2(UINT64_MAX), 63);
	for (int i = 0; i < 64; i++) {
		cr_assert_eq(hist_log2(1ULL << i), i);
		if (i)
			cr_assert_eq(hist_log2((1ULL << i) - 1), i - 1);
	}
}

Test(hist, precise_is_within_one_percent)
{
	uint64_t random = 88172645463325252ULL;

	for (int i = 0; i < 100000; i++) {
		uint64_t value, middle, off;
		size_t bucket;

		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		value = random >> (i % 63);
		bucket = hist_precise(value);
		middle = hist_low(&precise, bucket) + (hist_high(&precise, bucket) - hist_low(&precise, bucket)) / 2;
		off = middle > value ? middle - value : value - middle;
		cr_assert_leq(off, value / 125, "%llu", (unsigned long long)value);
	}
}

static int by_value(const void *pa, const void *pb)
{
	uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;

	return a < b ? -1 : a > b;
}

Test(hist, percentiles_of_random_values)
{
	enum {
		N = 20000
	};
	static const unsigned int thousandths[] = { 1, 250, 500, 900, 990, 999, 1000 };
	uint64_t *values = base_alloc(N * sizeof(*values)), *cells = cells_new(&precise);
	uint64_t random = 1234567;

	for (int i = 0; i < N; i++) {
		random = random * 6364136223846793005ULL + 1442695040888963407ULL;
		values[i] = (random >> 33) >> (random >> 60);
		add(&precise, cells, values[i]);
	}
	qsort(values, N, sizeof(*values), by_value);
	for (size_t i = 0; i < ARRAY_SIZE(thousandths); i++) {
		uint64_t exact = values[N * thousandths[i] / 1000 - 1];
		uint64_t got = hist_percentile(&precise, cells, thousandths[i]);

		cr_assert_leq(got, exact + exact / 100, "%u", thousandths[i]);
		cr_assert_geq(got, exact - exact / 100, "%u", thousandths[i]);
	}
	cr_assert_eq(cells[HIST_MAX], values[N - 1]);
	cr_assert_eq(hist_count(&precise, cells), N);
	free(values);
	free(cells);
}

Test(hist, percentiles_of_few)
{
	uint64_t *cells = cells_new(&precise);

	cr_assert_eq(hist_percentile(&precise, cells, 500), 0, "of none");
	add(&precise, cells, 1000001);
	for (unsigned int p = 1; p <= 1000; p += 111)
		cr_assert_leq(hist_percentile(&precise, cells, p), 1000001, "nothing is above the maximum");
	memset(cells, 0, hist_words(&precise) * sizeof(*cells));
	for (uint64_t value = 1; value <= 100; value++)
		add(&precise, cells, value);
	cr_assert_eq(hist_percentile(&precise, cells, 500), 50);
	cr_assert_eq(hist_percentile(&precise, cells, 990), 99);
	cr_assert_eq(hist_percentile(&precise, cells, 999), 100);
	add(&precise, cells, UINT64_MAX);
	cr_assert_gt(hist_percentile(&precise, cells, 1000), UINT64_MAX / 128 * 126);
	free(cells);
}

Test(hist, merging_adds)
{
	uint64_t *a = cells_new(&precise), *b = cells_new(&precise), *both = cells_new(&precise);

	for (uint64_t value = 0; value < 5000; value += 7) {
		add(&precise, value % 2 ? a : b, value * value);
		add(&precise, both, value * value);
	}
	hist_merge(&precise, a, b);
	cr_assert_eq(memcmp(a, both, hist_words(&precise) * sizeof(*a)), 0);
	free(a);
	free(b);
	free(both);
}

Test(hist, difference_is_what_came_between)
{
	uint64_t *now = cells_new(&precise), *before = cells_new(&precise), *between = cells_new(&precise);
	size_t bytes = hist_words(&precise) * sizeof(*now);

	add(&precise, now, 5000);
	hist_difference(&precise, between, now, before);
	cr_assert_eq(between[HIST_MAX], 5000);
	memcpy(before, now, bytes);
	add(&precise, now, 70);
	add(&precise, now, 90);
	hist_difference(&precise, between, now, before);
	cr_assert_eq(hist_count(&precise, between), 2);
	cr_assert_eq(between[HIST_SUM], 160);
	cr_assert_eq(between[HIST_MAX], 90, "the maximum is of these two");
	memcpy(before, now, bytes);
	hist_difference(&precise, between, now, before);
	cr_assert_eq(hist_count(&precise, between), 0);
	free(now);
	free(before);
	free(between);
}

static void expect_drawn(const struct hist_row *row, const char *expected)
{
	__str struct str s = {};

	hist_draw(&s, row);
	cr_assert_str_eq(s.data ? s.data : "", expected);
}

Test(hist, chart_as_bcc_draws_it)
{
	uint64_t *cells = cells_new(&log2_ns);
	struct hist_row row = { .hist = &log2_ns, .cells = cells, .first = true };

	expect_drawn(&row, "");
	add(&log2_ns, cells, 0);
	add(&log2_ns, cells, 1);
	for (int i = 0; i < 4; i++)
		add(&log2_ns, cells, 9);
	expect_drawn(&row, "     nsecs               : count     distribution\n"
			   "         0 -> 1          : 2        |********************                    |\n"
			   "         2 -> 3          : 0        |                                        |\n"
			   "         4 -> 7          : 0        |                                        |\n"
			   "         8 -> 15         : 4        |****************************************|\n"
			   "\n"
			   "avg = 6 nsecs, total: 37 nsecs, count: 6\n");
	free(cells);
}

Test(hist, chart_of_large_values_is_as_wide)
{
	uint64_t *cells = cells_new(&log2_ns);
	struct hist_row row = { .hist = &log2_ns, .cells = cells, .first = true };
	__str struct str s = {};
	size_t lines = 0;

	add(&log2_ns, cells, 1ULL << 63);
	hist_draw(&s, &row);
	for (char *line = strtok(s.data, "\n"); line; line = strtok(NULL, "\n"), lines++)
		cr_assert_leq(strlen(line), 80, "%s", line);
	cr_assert_eq(lines, 1 + 64 + 1);
	cr_assert_not_null(strstr(s.data, "distribution"));
	free(cells);
}

Test(hist, last_line_of_large_values)
{
	uint64_t *cells = cells_new(&log2_ns);
	struct hist_row row = { .hist = &log2_ns, .cells = cells, .first = true };
	__str struct str s = {};

	add(&log2_ns, cells, UINT64_MAX);
	hist_draw(&s, &row);
	cr_assert_not_null(
		strstr(s.data, "\n 9223372036854775808 -> 18446744073709551615 : 1        |********************|\n"),
		"%s", s.data);
	free(cells);
}

Test(hist, linear_chart_of_a_key)
{
	uint64_t *cells = cells_new(&by_ten);
	struct hist_row row = { .hist = &by_ten, .cells = cells, .title = "Function", .key = "f\n" };

	add(&by_ten, cells, 25000);
	add(&by_ten, cells, 9999);
	expect_drawn(&row, "\nFunction = f\\n\n"
			   "     usecs         : count     distribution\n"
			   "        0          : 1        |****************************************|\n"
			   "        10         : 0        |                                        |\n"
			   "        20         : 1        |****************************************|\n"
			   "\n"
			   "avg = 17 usecs, total: 34 usecs, count: 2\n");
	free(cells);
}

Test(hist, linear_collects_what_is_beyond)
{
	uint64_t *cells = cells_new(&by_ten);
	struct hist_row row = { .hist = &by_ten, .cells = cells, .first = true };
	__str struct str s = {};

	add(&by_ten, cells, UINT64_MAX);
	hist_draw(&s, &row);
	cr_assert_not_null(strstr(s.data, "        2550+      : 1        |"), "%s", s.data);
	free(cells);
}

Test(hist, precise_chart_and_percentiles)
{
	uint64_t *cells = cells_new(&precise);
	struct hist_row row = { .hist = &precise, .cells = cells, .first = true };

	for (uint64_t value = 0; value < 4; value++)
		add(&precise, cells, value);
	expect_drawn(&row, "     nsecs               : count     distribution\n"
			   "         0 -> 1          : 2        |****************************************|\n"
			   "         2 -> 3          : 2        |****************************************|\n"
			   "\n"
			   "p50 = 1, p90 = 3, p99 = 3, p99.9 = 3, max = 3 nsecs\n"
			   "avg = 1 nsecs, total: 6 nsecs, count: 4\n");
	free(cells);
}

static void expect_json(const struct hist_row *row, void (*get)(struct value *, const void *, const void *),
			const char *expected)
{
	fixture_expect((struct field){ .type = FIELD_ROW, .get = get }, OUTPUT_JSON, row, NULL, expected);
}

Test(hist, json)
{
	uint64_t *cells = cells_new(&by_ten), *fine = cells_new(&precise);
	struct hist_row row = { .hist = &by_ten, .cells = cells };
	struct hist_row precise_row = { .hist = &precise, .cells = fine };

	expect_json(&row, hist_get_buckets, "[]");
	expect_json(&row, hist_get_average, "0");
	add(&by_ten, cells, 1500);
	add(&by_ten, cells, 1600);
	add(&by_ten, cells, 1ULL << 40);
	expect_json(&row, hist_get_buckets,
		    "[{\"min\":0,\"max\":9,\"count\":2},{\"min\":2550,\"max\":null,\"count\":1}]");
	expect_json(&row, hist_get_count, "3");
	expect_json(&row, hist_get_unit, "\"usecs\"");
	expect_json(&row, hist_get_total, "1099511630");
	expect_json(&row, hist_get_percentiles, "null");
	add(&precise, fine, 3);
	expect_json(&precise_row, hist_get_percentiles, "{\"p50\":3,\"p90\":3,\"p99\":3,\"p99.9\":3,\"max\":3}");
	free(cells);
	free(fine);
}
