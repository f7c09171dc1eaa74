// SPDX-License-Identifier: BSD-2-Clause
/*
 * Engines side by side in one process, each with its own probes, filter, output and totals: two that count different
 * functions, one that measures, and one of rates. They trace a child of ours, whose functions are called as often as we
 * say. Prints "ok", or what is wrong, and exits with 1.
 */
#include <sys/mman.h>

#include "base/report.h"
#include "child.h"
#include "engines/count.h"
#include "engines/latency.h"
#include "engines/rates.h"
#include "run/filter_parse.h"
#include "setup.h"

__attribute__((noipa)) void together_alpha(void)
{
	__asm__ volatile("");
}

__attribute__((noipa)) void together_beta(void)
{
	__asm__ volatile("");
}

struct calls {
	int alpha, beta;
};

/* --- the child --- */

static struct child child;

static void work(int requests, int answers)
{
	struct calls calls;

	while (read(requests, &calls, sizeof(calls)) == sizeof(calls)) {
		for (int i = 0; i < calls.alpha; i++)
			together_alpha();
		for (int i = 0; i < calls.beta; i++)
			together_beta();
		if (write(answers, "", 1) != 1)
			break;
	}
}

/* Returns when the child has made the calls. */
static void call(int alpha, int beta)
{
	const struct calls calls = { alpha, beta };

	if (!child_ask(&child, &calls, sizeof(calls)))
		exit(1);
}

/* --- one engine --- */

struct traced {
	const char *name;
	struct engine_context ctx;
	struct engine_instance instance;
	int file; /* of its output */
};

static const struct field count_fields[] = {
	FIELD(FIELD_STR, struct count_row, name, "func", "FUNC", -36),
	FIELD(FIELD_U64, struct count_row, count, "count", "COUNT", 8),
};
static const struct schema count_schema = { count_fields, ARRAY_SIZE(count_fields) };

static const struct field latency_fields[] = { HIST_FIELDS };
static const struct schema latency_schema = { latency_fields, ARRAY_SIZE(latency_fields) };

/* The second function does not exist: its column is null. main() fills in the path. */
static const char *rates_specs[3];
static const struct rates_source rates_source = { RATES_SPECS(rates_specs), .what = "calls" };
static const struct field rates_fields[] = {
	RATES_TIME,
	RATES_COLUMN(0, "alpha", "ALPHA/s", 8),
	RATES_COLUMN(1, "gamma", "GAMMA/s", 8),
	RATES_COLUMN(2, "beta", "BETA/s", 8),
};
static const struct schema rates_schema = { rates_fields, ARRAY_SIZE(rates_fields) };

static void check(bool ok, const struct traced *traced, const char *what)
{
	if (ok)
		return;
	printf("%s: %s\n", traced->name, what);
	exit(1);
}

/* With function NULL, the engine has specs of its own. */
static void open_engine(struct traced *traced, const char *name, const struct engine *engine, const void *source,
			const struct schema *schema, const char *function)
{
	const struct run_options options = { .pid = child.pid };
	__free char *spec = function ? setup_spec(function) : NULL;
	struct err err = {};
	const char *args[1] = { spec };

	*traced = (struct traced){ .name = name, .file = memfd_create(name, MFD_CLOEXEC) };
	traced->ctx.cgroup = -1;
	traced->ctx.pid = child.pid;
	traced->ctx.out = output_new(traced->file, OUTPUT_JSON);
	engine_init(&traced->instance, engine, source, schema, &traced->ctx);
	traced->instance.args = (struct opt_list){ .v = args, .n = function ? 1 : 0, .cap = 1 };
	if (filter_parse(&traced->ctx.filter, &options, false, &traced->ctx.cgroup, &err) ||
	    engine_open(&traced->instance, &err))
		check(false, traced, err.text);
	traced->instance.args = (struct opt_list){};
}

static void close_engine(struct traced *traced)
{
	engine_release(&traced->instance);
	output_free(traced->ctx.out);
	close(traced->file);
}

/* --- what they say --- */

static void add_count(const void *row, void *sum)
{
	*(uint64_t *)sum += ((const struct count_row *)row)->count;
}

static void add_hist(const void *data, void *sum)
{
	const struct hist_row *row = data;

	*(uint64_t *)sum += hist_count(row->hist, row->cells);
}

static void expect_snapshot(struct traced *traced, uint64_t want)
{
	bool counts = traced->instance.engine == &count_engine;
	uint64_t sum = 0;
	__free char *what = NULL;
	int ret = traced->instance.engine->snapshot(&traced->instance, counts ? add_count : add_hist, &sum);

	check(!ret, traced, "no snapshot");
	what = base_printf("the snapshot has %llu, not %llu", (unsigned long long)sum, (unsigned long long)want);
	check(sum == want, traced, what);
}

/* Reads what the next table prints into text. */
static void print_next(struct traced *traced, char *text, size_t size)
{
	ssize_t n;

	if (ftruncate(traced->file, 0) || lseek(traced->file, 0, SEEK_SET))
		exit(1);
	traced->instance.engine->emit(&traced->instance, false);
	n = pread(traced->file, text, size - 1, 0);
	if (n < 0)
		exit(1);
	text[n] = 0;
}

/* The next table has one row, with this text; wanted NULL: it has none. */
static void expect_row(struct traced *traced, const char *wanted)
{
	__free char *what = NULL;
	char text[4096];

	print_next(traced, text, sizeof(text));
	what = base_printf("the table is not %s but: %s", wanted ?: "empty", text);
	check(wanted ? strstr(text, wanted) && strchr(text, '\n') == strrchr(text, '\n') : !*text, traced, what);
}

/* The next table has one row, with this count; want 0: it has none. */
static void expect_emit(struct traced *traced, int want)
{
	__free char *wanted = base_printf("\"count\":%d", want);

	expect_row(traced, want ? wanted : NULL);
}

static void expect_rates(struct traced *traced, int alpha, int beta)
{
	__free char *wanted = base_printf("\"alpha\":%d,\"gamma\":null,\"beta\":%d}", alpha, beta);

	expect_row(traced, wanted);
}

static void check_rates(const void *data, void *traced)
{
	const struct rates_row *row = data;
	const struct rates_cell *cells = row->cells;

	check(cells[0].count == 6 && cells[1].count == UINT64_MAX && cells[2].count == 7, traced, "another snapshot");
}

static void open_rates(struct traced *rates)
{
	__free char *alpha = setup_spec("together_alpha"), *beta = setup_spec("together_beta");
	__free char *gamma = setup_spec("together_gamma");

	rates_specs[0] = alpha;
	rates_specs[1] = gamma;
	rates_specs[2] = beta;
	open_engine(rates, "rates", &rates_engine, &rates_source, &rates_schema, NULL);
	rates->instance.engine->armed(&rates->instance);
}

int main(void)
{
	struct traced alpha, beta, times, rates;

	report_set_name("together");
	child = child_start(work);
	open_engine(&alpha, "alpha", &count_engine, NULL, &count_schema, "together_alpha");
	open_engine(&beta, "beta", &count_engine, NULL, &count_schema, "together_beta");
	open_engine(&times, "times", &latency_engine, NULL, &latency_schema, "together_alpha");

	open_rates(&rates);

	/* what others call is not counted, and neither engine counts what is the other's */
	together_alpha();
	call(3, 5);
	expect_snapshot(&alpha, 3);
	expect_snapshot(&beta, 5);
	expect_snapshot(&times, 3);
	expect_emit(&alpha, 3);
	expect_rates(&rates, 3, 5);

	/* a table shows the difference to the table before, whatever snapshots there were between */
	call(2, 1);
	expect_snapshot(&alpha, 5);
	expect_emit(&alpha, 2);
	expect_emit(&alpha, 0);
	expect_emit(&beta, 6);
	expect_emit(&times, 5);
	call(1, 1);
	expect_emit(&times, 1);
	expect_snapshot(&alpha, 6);
	expect_snapshot(&beta, 7);
	expect_snapshot(&times, 6);
	rates.instance.engine->snapshot(&rates.instance, check_rates, &rates);
	expect_rates(&rates, 3, 2);
	expect_rates(&rates, 0, 0);

	/* and one that ends takes nothing from the others */
	close_engine(&alpha);
	call(4, 2);
	expect_snapshot(&beta, 9);
	expect_snapshot(&times, 10);
	expect_emit(&beta, 3);
	close_engine(&beta);
	call(1, 1);
	expect_emit(&times, 5);
	close_engine(&times);
	expect_rates(&rates, 5, 3);
	close_engine(&rates);
	child_end(&child);
	puts("ok");
	return 0;
}
