// SPDX-License-Identifier: BSD-2-Clause
/*
 * Totals as an exporter reads them: each engine counts the calls of the child of traced.c, with more keys than there
 * may be rows. Prints "ok", or what is wrong, and exits with 1. exported_script.c has programs of the language.
 */
#include "attach/attach.h"
#include "base/report.h"
#include "engines/count.h"
#include "engines/dist.h"
#include "engines/latency.h"
#include "engines/rates.h"
#include "engines/syscalls.h"
#include "script/argdist.h"
#include "setup.h"
#include "traced.h"
#include "tests/engines/exported.skel.h"

/* --- slots --- */

static const struct field count_fields[] = {
	FIELD(FIELD_STR, struct count_row, name, "func", "FUNC", -36),
	FIELD(FIELD_U64, struct count_row, count, "count", "COUNT", 8, .role = ROLE_COUNTER),
};
static const struct schema count_schema = { count_fields, ARRAY_SIZE(count_fields) };
static const struct field hist_fields[] = { HIST_FIELDS };
static const struct schema hist_schema = { hist_fields, ARRAY_SIZE(hist_fields) };

/* The first target is attached, and is called as a user would name it. */
static void expect_target(const struct traced *traced, const char *name)
{
	struct attach *attach = traced->instance.engine->attachment(&traced->instance, 0);
	__str struct str text = {};

	if (!attach || !attach_targets(attach) || attach_mechanism(attach, 0) == MECH_AUTO)
		traced_fail(traced->name, "nothing is attached");
	attach_add_name(&text, attach, 0);
	if (strcmp(text.data, name))
		traced_fail(traced->name, "the target is %s, not %s", text.data, name);
	for (size_t n = 0; traced->instance.engine->attachment(&traced->instance, n); n++)
		if (n > 10)
			traced_fail(traced->name, "attachments do not end");
}

/* Three functions, of which two have rows. */
static void init_functions(struct traced *traced, const char *name, const struct engine *engine,
			   const struct schema *schema)
{
	traced_init(traced, name, engine, NULL, schema, 2);
	traced->spec = setup_spec("exported_[abg]*a");
	traced->args[0] = traced->spec;
	traced->instance.args = (struct opt_list){ .v = traced->args, .n = 1, .cap = 1 };
}

/* Exporters get buckets with bounds in seconds, whatever unit tables have. */
static void check_bounds(const void *data, void *ctx)
{
	const struct hist_row *row = data;

	if (row->hist->kind != HIST_BOUNDS || row->hist->divisor != 1 || row->hist->step != HIST_BOUND_SECONDS)
		traced_fail("latency", "buckets of kind %d", row->hist->kind);
}

static void test_slots(void)
{
	const uint64_t all = THREADS * (ALPHAS + BETAS + GAMMAS), gammas = THREADS * GAMMAS;
	struct traced count, latency;
	struct totals totals;
	__free char *alpha = setup_spec("exported_alpha");

	init_functions(&count, "count", &count_engine, &count_schema);
	traced_open(&count);
	init_functions(&latency, "latency", &latency_engine, &hist_schema);
	setup_option(&latency.instance, "-F", NULL);
	traced_open(&latency);
	/* rows of functions are there from the start */
	traced_expect(&count, NULL, 2, 0, 0, 0);
	traced_expect(&latency, NULL, 2, 0, 0, 0);
	traced_run();
	traced_expect(&count, NULL, 2, all, gammas, 0);
	traced_expect_stats(&count, all, gammas);
	expect_target(&count, alpha);
	totals = traced_read(&latency, NULL);
	traced_expect(&latency, NULL, 2, all, gammas, totals.sum);
	traced_expect_stats(&latency, all, gammas);
	latency.instance.engine->snapshot(&latency.instance, check_bounds, NULL);
	traced_run();
	traced_expect(&count, NULL, 2, 2 * all, 2 * gammas, 0);
	traced_close(&count);
	traced_close(&latency);
}

/* --- keys --- */

struct dist_settings {
	const char *spec;
};
static const struct progs_probe dist_probes[] = {
	{ .program = "called", .spec = SETTING(const char *, struct dist_settings, spec) },
};
static const struct dist_kind dist_kinds[] = { { .name = "key" } };
static const struct dist_kind task_kinds[] = { { .name = "pid", .labelled = true } };
static const struct dist_source dist_source = {
	.progs = { PROGS(exported), PROGS_PROBES(dist_probes), .what = "keys" },
	DIST_KINDS(dist_kinds),
};
static const struct dist_source task_source = {
	.progs = { PROGS(exported), PROGS_PROBES(dist_probes), .what = "keys" },
	DIST_KINDS(task_kinds),
};

static void test_keys(void)
{
	const uint64_t all = THREADS * KEYS, own = THREADS * MAX, sum = traced_sum();
	struct traced dist;

	traced_init(&dist, "dist", &dist_engine, &dist_source, &dist_charts, MAX);
	dist.spec = setup_spec("exported_key");
	engine_add_settings(&dist.instance, sizeof(struct dist_settings), &(const struct dist_settings){ dist.spec });
	traced_open(&dist);
	traced_expect(&dist, NULL, 0, 0, 0, 0);
	traced_run();
	traced_expect(&dist, NULL, MAX, all, all - own, sum);
	traced_expect_stats(&dist, all, all - own);
	traced_run();
	traced_expect(&dist, NULL, MAX, 2 * all, 2 * (all - own), 2 * sum);
	traced_close(&dist);
}

/* What argdist's user typed is the label. */
static void test_argdist(void)
{
	struct argdist_settings *settings;
	struct traced argdist;

	traced_init(&argdist, "argdist", &argdist_engine, NULL, &argdist_schema, MAX);
	argdist.spec = setup_spec("exported_key");
	/* p:BINARY:FUNCTION, and two values */
	memcpy(argdist.spec, "xxxxxp", strlen("xxxxxp"));
	argdist.args[0] = base_printf("%s(u64 key, u64 value):u64,u64:key%%3,value", argdist.spec + strlen("xxxxx"));
	settings = argdist.instance.settings;
	*vec_push(&settings->counts) = argdist.args[0];
	traced_open(&argdist);
	traced_run();
	traced_expect(&argdist, NULL, 21, THREADS * KEYS, 0, 0);
	traced_close(&argdist);
	free((char *)argdist.args[0]);
}

/* --- what is refused --- */

struct calls_settings {
	struct syscalls_settings calls;
};
static const struct syscalls_source calls_source = {
	.settings = SETTING(struct syscalls_settings, struct calls_settings, calls),
};

static void test_refused(void)
{
	static const struct calls_settings by_process = { { .by_process = true, .number = -1, .keys = 16 } };
	struct traced traced;

	traced_init(&traced, "syscalls", &syscalls_engine, &calls_source, &hist_schema, MAX);
	engine_add_settings(&traced.instance, sizeof(by_process), &by_process);
	traced_expect_refused(&traced, "rows by process cannot be exported");
	traced_init(&traced, "dist", &dist_engine, &task_source, &dist_charts, MAX);
	traced_expect_refused(&traced, "rows by pid cannot be exported");
}

/* --- system calls, and columns --- */

static const struct field call_fields[] = {
	FIELD(FIELD_U64, struct syscalls_row, calls, "count", "COUNT", 8, .role = ROLE_COUNTER),
};
static const struct schema call_schema = { call_fields, ARRAY_SIZE(call_fields) };

/* With room for one row, the first call that occurs has it; with room for all, there are no others. */
static void test_calls(void)
{
	static const struct calls_settings all_calls = { { .timed = true, .number = -1 } };
	struct traced calls, more;
	struct totals totals;

	traced_init(&calls, "syscalls", &syscalls_engine, &calls_source, &call_schema, 1);
	engine_add_settings(&calls.instance, sizeof(all_calls), &all_calls);
	traced_open(&calls);
	traced_init(&more, "syscalls", &syscalls_engine, &calls_source, &call_schema, MAX);
	engine_add_settings(&more.instance, sizeof(all_calls), &all_calls);
	traced_open(&more);
	traced_run();
	totals = traced_read(&calls, NULL);
	if (totals.rows != 1 || totals.others == 0 || totals.values < 2 * THREADS)
		traced_fail("syscalls", "%zu rows, %llu others", totals.rows, (unsigned long long)totals.others);
	traced_expect_stats(&calls, totals.values, totals.others);
	traced_expect(&calls, NULL, 1, totals.values, totals.others, 0);
	/* not the same sum: a preemptible kernel skips hits of each program on its own */
	if (traced_read(&more, NULL).rows < 3 || traced_read(&more, NULL).others)
		traced_fail("syscalls", "a row is missing, where there is room for all");
	traced_close(&calls);
	traced_close(&more);
}

static const char *rates_specs[2];
static const struct rates_source rates_source = { RATES_SPECS(rates_specs), .what = "calls" };
static const struct field rates_fields[] = {
	RATES_TIME,
	RATES_COLUMN(0, "alpha", "ALPHA/s", 8),
	RATES_COLUMN(1, "beta", "BETA/s", 8),
};
static const struct schema rates_schema = { rates_fields, ARRAY_SIZE(rates_fields) };

static void check_rates(const void *data, void *ctx)
{
	const struct rates_row *row = data;

	if (row->cells[0].count != THREADS * ALPHAS || row->cells[1].count != THREADS * BETAS)
		traced_fail("rates", "%llu and %llu", (unsigned long long)row->cells[0].count,
			    (unsigned long long)row->cells[1].count);
}

static void test_rates(void)
{
	__free char *alpha = setup_spec("exported_alpha"), *beta = setup_spec("exported_beta");
	struct traced rates;

	rates_specs[0] = alpha;
	rates_specs[1] = beta;
	traced_init(&rates, "rates", &rates_engine, &rates_source, &rates_schema, MAX);
	traced_open(&rates);
	traced_run();
	rates.instance.engine->snapshot(&rates.instance, check_rates, NULL);
	traced_expect_stats(&rates, THREADS * (ALPHAS + BETAS), 0);
	if (rates.ctx.interval)
		traced_fail("rates", "an interval that nobody has asked for");
	traced_close(&rates);
}

int main(void)
{
	report_set_name("exported");
	traced_start();
	test_slots();
	test_keys();
	test_argdist();
	test_refused();
	test_calls();
	test_rates();
	traced_end();
	puts("ok");
	return 0;
}
