// SPDX-License-Identifier: BSD-2-Clause
/*
 * Bounds of an exporter's histograms, in the kernel: calls a function of ours with the values at each bound, one below
 * and one above, as durations in ns. Each must be in the bucket that exact arithmetic puts it into, and below the same
 * `le` on the page. Prints "ok, N values", or what is wrong, and exits with 1.
 */
#include "base/report.h"
#include "engines/dist.h"
#include "metrics/metrics_format.h"
#include "metrics/metrics_rows.h"
#include "run/filter_parse.h"
#include "setup.h"
#include "tests/engines/exported.skel.h"

#define NS_PER_S 1000000000ULL
#define BOUNDS	 (HIST_BOUNDS_BUCKETS - 1)
#define EXPONENT -29 /* of the first bound */
#define VALUES	 (3 * BOUNDS)

static uint64_t cells[HIST_BUCKETS + HIST_BOUNDS_BUCKETS];

/* Its second argument is the value: tests/engines/exported.bpf.c. */
__attribute__((noipa)) void bounds_value(unsigned long key, unsigned long value)
{
	__asm__ volatile(""
			 :
			 : "r"(key), "r"(value));
}

static void fail(const char *what, const char *text)
{
	printf("%s: %s\n", what, text);
	exit(1);
}

/* The greatest integer of ns that is not above 2^exponent s. */
static uint64_t bound_ns(int exponent)
{
	return exponent < 0 ? NS_PER_S >> -exponent : NS_PER_S << exponent;
}

/* Whether value ns <= 2^exponent s, without rounding. */
static bool is_within(uint64_t value, int exponent)
{
	__uint128_t ns = value, bound = NS_PER_S;

	return exponent < 0 ? ns << -exponent <= bound : ns <= bound << exponent;
}

static void call_and_count(uint64_t value)
{
	size_t i = 0;

	while (i < BOUNDS && !is_within(value, EXPONENT + (int)i))
		i++;
	cells[HIST_BUCKETS + i]++;
	cells[HIST_SUM] += value;
	bounds_value(0, value);
}

static void compare(const void *data, void *ctx)
{
	const struct hist_row *row = data;

	for (size_t i = 0; i < hist_words(row->hist); i++)
		if (i != HIST_MAX && row->cells[i] != cells[i]) {
			printf("cell %zu: %llu, not %llu\n", i, (unsigned long long)row->cells[i],
			       (unsigned long long)cells[i]);
			*(bool *)ctx = true;
		}
}

struct page {
	struct metrics metrics;
	struct metrics_rows rows;
};

static void add_row(const void *row, void *ctx)
{
	struct page *page = ctx;

	metrics_rows_add(&page->metrics, &page->rows, row, METRICS_KEY);
}

/* Up to 2^k s there are 3 values of each bound below, and of this one two: at it and one less. */
static void compare_page(struct engine_instance *instance)
{
	struct page page = { .rows = { .base = "x", .help = "", .schema = instance->schema } };
	__str struct str text = {};
	struct err err = {};

	if (metrics_rows_check(&page.rows, &err))
		fail("rows", err.text);
	instance->engine->snapshot(instance, add_row, &page);
	metrics_format_print(&text, &page.metrics, METRICS_TEXT);
	for (int exponent = -2; exponent <= 5; exponent++) {
		__str struct str line = {};
		uint64_t count = 0;

		for (int i = 0; i <= exponent - EXPONENT; i++)
			count += cells[HIST_BUCKETS + i];
		str_addf(&line, "\nx_seconds_bucket{key=\"0\",le=\"%.*f\"} %llu\n", exponent < -1 ? 2 : 1,
			 exponent < 0 ? 1.0 / (1 << -exponent) : 1 << exponent, (unsigned long long)count);
		if (!strstr(text.data, line.data))
			fail(line.data, text.data);
	}
	metrics_release(&page.metrics);
}

/* --- the engine --- */

struct settings {
	const char *spec;
};
static const struct progs_probe probes[] = {
	{ .program = "called", .spec = SETTING(const char *, struct settings, spec) },
};
static const struct dist_kind kinds[] = { { .name = "key" } };
static const struct dist_source source = {
	.progs = { PROGS(exported), PROGS_PROBES(probes), .what = "values" },
	DIST_KINDS(kinds),
};

int main(void)
{
	const struct engine_metrics metrics = { .max_keys = 4 };
	const struct run_options options = { .pid = getpid() };
	struct engine_context ctx = { .cgroup = -1, .pid = getpid(), .metrics = &metrics };
	const struct settings settings = { setup_spec("bounds_value") };
	struct engine_instance instance;
	struct err err = {};
	bool wrong = false;

	report_set_name("bounds");
	ctx.out = output_new(STDOUT_FILENO, OUTPUT_JSON);
	engine_init(&instance, &dist_engine, &source, &dist_charts, &ctx);
	engine_add_settings(&instance, sizeof(settings), &settings);
	if (filter_parse(&ctx.filter, &options, false, &ctx.cgroup, &err) || engine_open(&instance, &err))
		fail("open", err.text);
	for (int i = 0; i < BOUNDS; i++)
		for (int by = -1; by <= 1; by++)
			call_and_count(bound_ns(EXPONENT + i) + by);
	instance.engine->snapshot(&instance, compare, &wrong);
	compare_page(&instance);
	engine_release(&instance);
	output_free(ctx.out);
	if (!wrong)
		printf("ok, %d values\n", VALUES);
	return wrong;
}
