// SPDX-License-Identifier: BSD-2-Clause
/* Pages of metrics: from rows to samples, and how each format prints them. */
#include <criterion/criterion.h>
#include <math.h>

#include "metrics/metrics_format.h"
#include "metrics/metrics_rows.h"

static size_t add_family(struct metrics *page, const char *name, enum metrics_type type)
{
	return metrics_family(page, &(struct metrics_info){ .name = name, .help = "Help.", .type = type });
}

static void add_sample(struct metrics *page, size_t family, const char *value, struct metrics_number number)
{
	metrics_begin(page, family, 1500000000);
	metrics_label(page, "name", value, strlen(value));
	metrics_set(page, number);
}

static void expect_page(const struct metrics *page, enum metrics_format format, const char *want)
{
	__str struct str text = {};

	metrics_format_print(&text, page, format);
	cr_expect_str_eq(str_or_empty(text.data), want);
}

static void expect_number(struct metrics_number number, const char *want)
{
	struct metrics page = {};
	__str struct str text = {};

	metrics_begin(&page, add_family(&page, "x", METRICS_GAUGE), 0);
	metrics_set(&page, number);
	metrics_format_print(&text, &page, METRICS_TEXT);
	cr_expect_str_eq(strstr(text.data, "\nx ") + 3, want);
	metrics_release(&page);
}

Test(metrics, numbers_are_exact)
{
	expect_number(metrics_u64(UINT64_MAX), "18446744073709551615\n");
	expect_number(metrics_s64(INT64_MIN), "-9223372036854775808\n");
	expect_number(metrics_seconds(UINT64_MAX), "18446744073.709551615\n");
	expect_number(metrics_seconds(1), "0.000000001\n");
	expect_number(metrics_seconds(1500000000), "1.5\n");
	expect_number(metrics_seconds(2000000000), "2\n");
	expect_number(metrics_real(0.1), "0.1\n");
	expect_number(metrics_real(1 / 3.0), "0.3333333333333333\n");
	expect_number(metrics_real(5e-324), "4.94065645841247e-324\n");
	expect_number(metrics_real(-1e300), "-1e+300\n");
	expect_number(metrics_real(NAN), "NaN\n");
	expect_number(metrics_real(INFINITY), "+Inf\n");
	expect_number(metrics_real(-INFINITY), "-Inf\n");
}

Test(metrics, both_texts)
{
	struct metrics page = {};
	size_t counts = add_family(&page, "reads", METRICS_COUNTER), info = add_family(&page, "build", METRICS_INFO);

	add_family(&page, "without_samples", METRICS_GAUGE);
	add_sample(&page, counts, "a", metrics_u64(7));
	add_sample(&page, info, "b", metrics_u64(1));
	expect_page(&page, METRICS_TEXT,
		    "# HELP reads_total Help.\n# TYPE reads_total counter\nreads_total{name=\"a\"} 7\n"
		    "# HELP build_info Help.\n# TYPE build_info gauge\nbuild_info{name=\"b\"} 1\n");
	expect_page(&page, METRICS_OPENMETRICS,
		    "# HELP reads Help.\n# TYPE reads counter\nreads_total{name=\"a\"} 7\n"
		    "reads_created{name=\"a\"} 1.5\n"
		    "# HELP build Help.\n# TYPE build info\nbuild_info{name=\"b\"} 1\n# EOF\n");
	metrics_reset(&page);
	expect_page(&page, METRICS_TEXT, "");
	expect_page(&page, METRICS_OPENMETRICS, "# EOF\n");
	metrics_release(&page);
}

Test(metrics, escapes)
{
	struct metrics page = {};
	const struct metrics_info info = { .name = "x", .help = "a \"quote\"\\\nb", .type = METRICS_GAUGE };
	size_t family = metrics_family(&page, &info);

	add_sample(&page, family, "q\" b\\ n\n t\t \xff \xc3\xa9 \x1b[", metrics_u64(1));
	expect_page(&page, METRICS_TEXT,
		    "# HELP x a \"quote\"\\\\\\nb\n# TYPE x gauge\n"
		    "x{name=\"q\\\" b\\\\ n\\n t\t \xef\xbf\xbd \xc3\xa9 \xef\xbf\xbd[\"} 1\n");
	expect_page(&page, METRICS_OPENMETRICS,
		    "# HELP x a \\\"quote\\\"\\\\\\nb\n# TYPE x gauge\n"
		    "x{name=\"q\\\" b\\\\ n\\n t\t \xef\xbf\xbd \xc3\xa9 \xef\xbf\xbd[\"} 1\n# EOF\n");
	metrics_release(&page);
}

Test(metrics, names_of_labels_become_valid)
{
	struct metrics page = {};

	metrics_begin(&page, add_family(&page, "x", METRICS_GAUGE), 0);
	metrics_label(&page, "a-b:\xc3\xa9", "1", 1);
	metrics_label(&page, "0", "2", 1);
	metrics_label(&page, "empty", "", 0);
	metrics_set(&page, metrics_u64(1));
	expect_page(&page, METRICS_TEXT, "# HELP x Help.\n# TYPE x gauge\nx{a_b___=\"1\",_0=\"2\"} 1\n");
	metrics_release(&page);
}

/* Two values that differ only in invalid bytes are one label, and a page has no sample twice. */
Test(metrics, equal_labels_are_one_sample)
{
	struct metrics page = {};
	size_t counter = add_family(&page, "c", METRICS_COUNTER), gauge = add_family(&page, "g", METRICS_GAUGE);

	for (int i = 0; i < 2; i++) {
		add_sample(&page, counter, i ? "x\xfe" : "x\xff", metrics_u64(3));
		add_sample(&page, counter, "y", metrics_u64(1));
		add_sample(&page, gauge, "x", metrics_u64(i));
	}
	expect_page(&page, METRICS_TEXT,
		    "# HELP c_total Help.\n# TYPE c_total counter\nc_total{name=\"x\xef\xbf\xbd\"} 6\n"
		    "c_total{name=\"y\"} 2\n"
		    "# HELP g Help.\n# TYPE g gauge\ng{name=\"x\"} 1\n");
	metrics_release(&page);
}

/* The index of labels grows, and is empty again after a reset. */
Test(metrics, many_samples)
{
	struct metrics page = {};
	size_t family = add_family(&page, "c", METRICS_COUNTER);

	for (int scrape = 0; scrape < 3; scrape++) {
		metrics_reset(&page);
		for (int i = 0; i < 10000; i++) {
			__str struct str name = {};

			str_addf(&name, "%d", i % 5000);
			add_sample(&page, family, name.data, metrics_u64(1));
		}
		cr_assert_eq(page.v[family].n, 5000);
		cr_assert_eq(page.v[family].v[4999].number.u64, 2);
	}
	metrics_release(&page);
}

/* --- rows --- */

struct row {
	const char *key;
	uint64_t count, ns, bytes, time;
	double rate;
	uint32_t pid;
};

#define ROW struct row
static const struct field fields[] = {
	FIELD(FIELD_STR, ROW, key, "my-key", "KEY", 10),
	FIELD(FIELD_TIME, ROW, time, "time", "TIME", 8),
	FIELD(FIELD_U64, ROW, count, "count", "COUNT", 8, .role = ROLE_COUNTER),
	TEXT(FIELD_DURATION, ROW, ns, "MS", 8),
	DATA(FIELD_DURATION, ROW, ns, "time_ns", .role = ROLE_COUNTER),
	DATA(FIELD_DURATION, ROW, ns, "max_ns"),
	DATA(FIELD_BYTES, ROW, bytes, "bytes"),
	DATA(FIELD_REAL, ROW, rate, "rate"),
};
static const struct schema schema = { fields, ARRAY_SIZE(fields) };

static void add_family_line(const struct metrics_info *info, const char *labels, void *ctx)
{
	str_addf(ctx, "%s %s %d %s\n", info->name, str_or_empty(info->unit), info->type, labels);
}

static void expect_families(const char *base, const struct schema *of, const char *want)
{
	const struct metrics_rows rows = { .base = base, .help = "Help.", .schema = of };
	__str struct str got = {};
	struct err err;

	cr_expect_eq(metrics_rows_check(&rows, &err), 0);
	metrics_rows_each(&rows, add_family_line, &got);
	cr_expect_str_eq(str_or_empty(got.data), want);
}

Test(metrics, rows_are_families_by_their_roles)
{
	static const struct field with_hist[] = {
		FIELD(FIELD_STR, struct hist_row, key, "disk", "DISK", 5),
		HIST_FIELDS,
	};
	static const struct schema hists = { with_hist, ARRAY_SIZE(with_hist) }, counts = { fields, 3 };
	static const struct field gauge = DATA(FIELD_U64, ROW, count, "count");
	static const struct schema gauges = { &gauge, 1 };

	expect_families("sonde_x", &schema,
			"sonde_x  0 my_key\nsonde_x_time_seconds seconds 0 my_key\n"
			"sonde_x_max_seconds seconds 1 my_key\nsonde_x_bytes bytes 1 my_key\nsonde_x_rate  1 my_key\n");
	expect_families("sonde_x", &hists, "sonde_x_seconds seconds 4 disk\n");
	expect_families("io_seconds", &hists, "io_seconds seconds 4 disk\n");
	expect_families("calls_total", &counts, "calls  0 my_key\n");
	expect_families("sonde_x_total", &gauges, "sonde_x_total_value  1 \n");
}

Test(metrics, rows_are_samples)
{
	const struct row row = { "a", 3, 1500000000, 4096, 5, 0.5, 1 }, other = { NULL, 1, 1, 1, 1, 1, 1 };
	const struct metrics_rows rows = { .base = "x_total", .help = "Help.", .schema = &schema };
	struct metrics page = {};
	__str struct str text = {};

	metrics_rows_add(&page, &rows, &row, METRICS_KEY);
	metrics_rows_add(&page, &rows, &other, METRICS_OTHER);
	metrics_format_print(&text, &page, METRICS_TEXT);
	cr_expect(strstr(text.data, "\nx_total{my_key=\"a\"} 3\nx_total{other=\"true\"} 1\n"));
	cr_expect(strstr(text.data, "\nx_time_seconds_total{my_key=\"a\"} 1.5\n"));
	cr_expect(strstr(text.data, "\nx_max_seconds{my_key=\"a\"} 1.5\n"));
	cr_expect(strstr(text.data, "\nx_bytes{my_key=\"a\"} 4096\n"));
	cr_expect(strstr(text.data, "\nx_rate{my_key=\"a\"} 0.5\n"));
	metrics_release(&page);
}

/* Keys that found no room become one row. Their counts have a sum, but a greatest value of one is not that of all. */
Test(metrics, rows_that_become_one)
{
	const struct row first = { "a", 3, 1500000000 }, last = { "b", 4, 500000000 };
	const struct metrics_rows rows = { .base = "x", .help = "Help.", .schema = &schema };
	struct metrics page = {};
	__str struct str text = {};

	metrics_rows_add(&page, &rows, &first, METRICS_OF_OTHER);
	metrics_rows_add(&page, &rows, &last, METRICS_OF_OTHER);
	metrics_format_print(&text, &page, METRICS_TEXT);
	cr_expect(strstr(text.data, "\nx_total{other=\"true\"} 7\n"));
	cr_expect(strstr(text.data, "\nx_time_seconds_total{other=\"true\"} 2\n"));
	cr_expect_null(strstr(text.data, "x_max_seconds"));
	cr_expect_null(strstr(text.data, "x_rate"));
	metrics_release(&page);
}

/* Sources that take turns on one page keep their families apart, even if their structs share an address. */
Test(metrics, rows_of_several_sources)
{
	const struct row row = { "a", 3 };
	struct metrics_rows rows = { .help = "Help.", .schema = &schema };
	struct metrics page = {};
	char base[2] = "a";

	rows.base = base;
	for (; *base < 'd'; ++*base)
		metrics_rows_add(&page, &rows, &row, METRICS_KEY);
	cr_expect_eq(page.n, 3 * 5);
	metrics_release(&page);
}

static void expect_refused(struct field field, const char *want)
{
	const struct field all[] = { fields[0], fields[2], field };
	const struct schema refused = { all, ARRAY_SIZE(all) };
	const struct metrics_rows rows = { .base = "x", .schema = &refused };
	struct err err = {};

	cr_expect_eq(metrics_rows_check(&rows, &err), -EINVAL);
	cr_expect_str_eq(err.text, want);
}

Test(metrics, labels_without_limits_are_refused)
{
	struct field pid = DATA(FIELD_U32, ROW, pid, "pid", .role = ROLE_TASK);
	struct field stack = DATA(FIELD_STACK, ROW, key, "stack");
	struct field address = DATA_GET(FIELD_ADDRESS, hist_get, "addr");
	struct field twice = DATA(FIELD_STR, ROW, key, "my_key");
	struct field other = DATA(FIELD_STR, ROW, key, "other");
	const struct schema no_number = { fields, 2 };
	const struct metrics_rows rows = { .base = "x", .schema = &no_number };
	struct err err;

	expect_refused(pid, "pid cannot be a label: there would be new series with each process or thread");
	expect_refused(stack, "stack cannot be a label: it is a stack");
	expect_refused(address, "addr cannot be a label: there would be new series with each address");
	expect_refused(twice, "two labels would be called my_key");
	expect_refused(other, "no label can be called other: it has a meaning of its own");
	cr_expect_eq(metrics_rows_check(&rows, &err), -EINVAL);
}

/* --- histograms --- */

static const struct hist seconds = { .kind = HIST_BOUNDS, .step = HIST_BOUND_SECONDS, .divisor = 1 };

static void add_hist(struct metrics *page, const struct hist *hist, const uint64_t *cells)
{
	const struct metrics_scale scale = { hist, true, { 0.25, 1, 1 } };

	metrics_begin(page, add_family(page, "h", METRICS_HISTOGRAM), 0);
	metrics_set_histogram(page, &scale, cells);
}

/* 0.25 s is in `le="0.25"`, and one ns more is not. */
Test(metrics, buckets_are_cumulative_and_inclusive)
{
	const uint64_t values[] = { 250000000, 250000001, 1000000000, 1000000001, 7 };
	uint64_t cells[HIST_BUCKETS + HIST_BOUNDS_BUCKETS] = {};
	struct metrics page = {};

	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		cells[HIST_SUM] += values[i];
		cells[HIST_BUCKETS + hist_bounded(values[i], seconds.step)]++;
	}
	add_hist(&page, &seconds, cells);
	expect_page(&page, METRICS_TEXT,
		    "# HELP h Help.\n# TYPE h histogram\nh_bucket{le=\"0.25\"} 2\nh_bucket{le=\"0.5\"} 3\n"
		    "h_bucket{le=\"1.0\"} 4\nh_bucket{le=\"+Inf\"} 5\nh_count 5\nh_sum 2.500000009\n");
	metrics_release(&page);
}

/* Bytes as the format has them: a tag is the field's number << 3 | type. */
Test(metrics, native_buckets_are_spans_and_deltas)
{
	/* 1 s, 2 s and 4 s are buckets 0, 1 and 2 of schema 0; a gap of two is filled, a longer one is not */
	uint64_t cells[HIST_BUCKETS + HIST_BOUNDS_BUCKETS] = {
		[HIST_BUCKETS] = 5,
		[HIST_BUCKETS + 29] = 3,
		[HIST_BUCKETS + 30] = 1,
		[HIST_BUCKETS + 33] = 2,
		[HIST_BUCKETS + 37] = 1,
	};
	static const char spans[] = "\x62\x02\x10\x05"			/* offset 0, length 5 */
				    "\x62\x04\x08\x06\x10\x01"		/* offset 3, length 1 */
				    "\x6a\x06\x06\x03\x01\x00\x04\x01"; /* 3, -2, -1, 0, 2, -1 */
	__str struct str text = {};
	struct metrics page = {};

	add_hist(&page, &seconds, cells);
	metrics_format_print(&text, &page, METRICS_PROTOBUF);
	cr_expect(memmem(text.data, text.len, spans, sizeof(spans) - 1));
	/* the zero bucket: a threshold of 2^-29 s, 5 values */
	cr_expect(memmem(text.data, text.len, "\x31\0\0\0\0\0\0\x20\x3e\x38\x05", 11));
	metrics_release(&page);
}
