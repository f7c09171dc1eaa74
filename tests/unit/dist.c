// SPDX-License-Identifier: BSD-2-Clause
#include <criterion/criterion.h>

#include "engines/dist.h"
#include "output_fixture.h"

static const struct hist single = { .kind = HIST_SINGLE, .step = 1, .divisor = 1000, .unit = "usecs" };
/* 12 values, of 34.5 usecs in all */
static const uint64_t cells[HIST_BUCKETS + 1] = { [HIST_SUM] = 34500, [HIST_BUCKETS] = 12 };

typedef void (*get_fn)(struct value *to, const void *row, const void *ctx);

static void expect(get_fn get, const struct dist_row *row, enum output_format format, const char *want)
{
	fixture_expect((struct field){ .type = FIELD_STR, .get = get }, format, row, NULL, want);
}

Test(dist, key_is_a_number_a_word_or_nothing)
{
	expect(dist_get_key, &(struct dist_row){ .keyed = true, .number = 17 }, OUTPUT_JSON, "17");
	expect(dist_get_key, &(struct dist_row){ .keyed = true, .text = "vda\"" }, OUTPUT_JSON, "\"vda\\\"\"");
	expect(dist_get_key, &(struct dist_row){ .keyed = true, .text = "vda\t" }, OUTPUT_TEXT, "vda\\t");
	expect(dist_get_key, &(struct dist_row){ .keyed = false, .number = 17 }, OUTPUT_JSON, "null");
	expect(dist_get_label, &(struct dist_row){ .label = "sh" }, OUTPUT_JSON, "\"sh\"");
	expect(dist_get_label, &(struct dist_row){ .label = NULL }, OUTPUT_JSON, "null");
}

/* A total is in the unit of the table; a count has no time. */
Test(dist, total_or_count)
{
	struct dist_row row = { .hist = { .hist = &single, .cells = cells } };

	expect(dist_get_shown, &row, OUTPUT_TEXT, "34");
	expect(dist_get_total, &row, OUTPUT_JSON, "34");
	expect(dist_get_unit, &row, OUTPUT_JSON, "\"usecs\"");
	row.counts = true;
	expect(dist_get_shown, &row, OUTPUT_TEXT, "12");
	expect(dist_get_total, &row, OUTPUT_JSON, "null");
	expect(dist_get_unit, &row, OUTPUT_JSON, "null");
}

Test(dist, one_bucket_has_all)
{
	uint64_t now[HIST_BUCKETS + 1] = { 50000, 0, 20 }, between[HIST_BUCKETS + 1];

	cr_expect_eq(hist_words(&single), HIST_BUCKETS + 1);
	cr_expect_eq(hist_count(&single, cells), 12);
	hist_difference(&single, between, now, cells);
	cr_expect_eq(hist_count(&single, between), 8);
	cr_expect_eq(between[HIST_SUM], 15500);
}
