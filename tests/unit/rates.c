// SPDX-License-Identifier: BSD-2-Clause
/* Rates: what a row has of the totals of an interval, and how the columns show it. */
#include "engines/rates.h"
#include "output_fixture.h"

static const struct field fields[] = {
	RATES_TIME,
	RATES_COLUMN(0, "reads", "READ/s", 8),
	RATES_COLUMN(1, "writes", "WRITE/s", 8),
};
static const struct schema schema = { fields, ARRAY_SIZE(fields) };

static struct rates_row fill(const struct rates_spec *specs, size_t n, uint64_t ns)
{
	struct rates_row row = { .time = 1500000000 };

	rates_fill(&row, specs, n, ns);
	return row;
}

static struct rates_cell cell(uint64_t total, uint64_t shown, uint64_t ns)
{
	const struct rates_spec spec = { .counted = true, .total = total, .shown = shown };

	return fill(&spec, 1, ns).cells[0];
}

static void expect_cell(struct rates_cell cell, uint64_t count, uint64_t per_second)
{
	cr_expect_eq(cell.count, count, "count %llu", (unsigned long long)cell.count);
	cr_expect_eq(cell.per_second, per_second, "rate %llu", (unsigned long long)cell.per_second);
}

Test(rates, per_second)
{
	expect_cell(cell(110, 10, 1000000000), 100, 100);
	expect_cell(cell(100, 0, 5000000000), 100, 20);
	expect_cell(cell(100, 0, 10000000), 100, 10000);
	/* to the nearest */
	expect_cell(cell(3, 0, 2000000000), 3, 2);
	expect_cell(cell(4, 0, 3000000000), 4, 1);
	/* an interval of no length, and more than 64 bits hold on the way */
	expect_cell(cell(7, 0, 0), 7, 0);
	expect_cell(cell(1ULL << 60, 0, 4000000000), 1ULL << 60, 1ULL << 58);
}

Test(rates, never_backwards)
{
	expect_cell(cell(9, 10, 1000000000), 0, 0);
}

static void expect_text(enum output_format format, const struct rates_row *row, const char *want)
{
	char *text __free = fixture_print(format, &schema, row, NULL);

	cr_expect_str_eq(text, want);
}

Test(rates, columns)
{
	const struct rates_spec specs[] = {
		{ .counted = true, .total = 60, .shown = 10 },
		{ .missing = "there is no such function" },
	};
	struct rates_row row = fill(specs, ARRAY_SIZE(specs), 2000000000);

	expect_text(OUTPUT_TEXT, &row, "10:00:01       25        -\n");
	expect_text(OUTPUT_JSON, &row,
		    "{\"time\":\"2024-05-01T10:00:01.500000+00:00\",\"ns\":2000000000,\"reads\":50,\"writes\":null}\n");
	expect_text(OUTPUT_CSV, &row, "2024-05-01T10:00:01.500000+00:00,2000000000,50,\r\n");
	/* a column of an index beyond the specs */
	row = fill(specs, 1, 1000000000);
	expect_text(OUTPUT_TEXT, &row, "10:00:01       50        -\n");
}

/* An exporter finds counters by their role. */
Test(rates, roles)
{
	for (size_t i = 0; i < schema.n; i++) {
		const struct field *field = &fields[i];
		bool counts = field->key && (!strcmp(field->key, "reads") || !strcmp(field->key, "writes"));

		cr_expect_eq(field_role(field) == ROLE_COUNTER, counts, "%s", field->key ?: field->title);
	}
	cr_expect_eq(field_role(&fields[0]), ROLE_TIME);
	/* the length of the interval is no measured duration */
	cr_expect_eq(field_role(&fields[1]), ROLE_TIME);
}
