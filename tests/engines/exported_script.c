// SPDX-License-Identifier: BSD-2-Clause
/*
 * Totals of programs of the language as an exporter reads them: their maps are tables, and count the calls of the child
 * of traced.c, with more keys than there may be rows. Prints "ok", or what is wrong, and exits with 1.
 */
#include "base/report.h"
#include "script/script.h"
#include "setup.h"
#include "traced.h"

/* --- maps --- */

static void open_script(struct traced *traced, const char *body)
{
	__free char *probe = setup_spec("exported_key");

	traced_init(traced, "script", &script_engine, NULL, &script_schema, MAX);
	traced->spec = base_printf("%s { %s }", probe, body);
	((struct script_settings *)traced->instance.settings)->program = traced->spec;
}

static void expect_labels(const struct traced *traced, const char *table, const char *wanted)
{
	const struct engine_table *tables;
	size_t n = traced->instance.engine->tables(&traced->instance, &tables);
	__str struct str labels = {};

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; !strcmp(tables[i].name, table) && j + 1 < tables[i].schema->n; j++)
			str_addf(&labels, "%s%s", labels.len ? "," : "", tables[i].schema->fields[j].key);
	if (strcmp(str_or_empty(labels.data), wanted))
		traced_fail(traced->name, "labels of @%s: %s, not %s", table, str_or_empty(labels.data), wanted);
}

static void test_maps(void)
{
	const uint64_t all = THREADS * KEYS, own = THREADS * MAX, sum = traced_sum();
	struct traced script;

	open_script(&script, "@n = count(); @sum = sum(arg1); @c[arg0] = count(); @h[arg0] = hist(arg1); "
			     "@l[arg0, comm] = lhist(arg1, 0, 10, 2); @a[arg0, arg1 + 1, comm] = avg(arg1); "
			     "@d[arg0] = stddev(arg1); @q[arg0 % 2] = quantiles(arg1); @least = min(arg1); "
			     "@few[arg0 % 3] = sum(arg1); @last = arg1; "
			     "@start[tid] = nsecs; @took = max(nsecs - @start[tid]); @steps[comm]++;");
	traced_open(&script);
	traced_expect(&script, "n", 1, 0, 0, 0);
	traced_expect(&script, "least", 0, 0, 0, 0);
	traced_expect(&script, "c", 0, 0, 0, 0);
	traced_run();
	traced_expect(&script, "n", 1, all, 0, 0);
	traced_expect(&script, "sum", 1, sum, 0, 0);
	traced_expect(&script, "c", MAX, all, all - own, 0);
	traced_expect(&script, "h", MAX, all, all - own, sum);
	traced_expect(&script, "l", MAX, all, all - own, sum);
	traced_expect(&script, "a", MAX, all, all - own, sum);
	traced_expect(&script, "d", MAX, all, all - own, sum);
	traced_expect(&script, "q", 2, all, 0, sum);
	traced_expect(&script, "least", 1, 1, 0, 0);
	traced_expect(&script, "few", 3, sum, 0, 0);
	traced_expect(&script, "last", 1, traced_value(KEYS - 1), 0, 0);
	traced_expect(&script, "steps", 1, traced_read(&script, "steps").values, 0, 0);
	/* what the program computes with is its own */
	traced_expect(&script, "start", 0, 0, 0, 0);
	expect_labels(&script, "l", "arg0,comm");
	expect_labels(&script, "a", "arg0,arg1,comm");
	expect_labels(&script, "few", "key");
	/* @n, five maps with others, and @q */
	traced_expect_stats(&script, 7 * all, 5 * (all - own));
	traced_run();
	traced_expect(&script, "c", MAX, 2 * all, 2 * (all - own), 0);
	traced_expect(&script, "h", MAX, 2 * all, 2 * (all - own), 2 * sum);
	traced_close(&script);
}

static void expect_tables(const struct traced *traced, const char *wanted)
{
	const struct engine_table *tables;
	size_t n = traced->instance.engine->tables(&traced->instance, &tables);
	__str struct str names = {};

	for (size_t i = 0; i < n; i++)
		str_addf(&names, "%s%s", i ? "," : "", tables[i].name);
	if (strcmp(str_or_empty(names.data), wanted))
		traced_fail(traced->name, "tables %s, not %s", str_or_empty(names.data), wanted);
}

/* Maps that no arm of this run assigns to are no tables, nor what the program computes with or what is no number. */
static void test_tables(void)
{
	struct traced script;

	open_script(&script, "if (getopt(\"none\", false, \"text\")) { @none = count(); } else { @some = count(); } "
			     "@text = comm; @seen = arg0; $x = @seen; @[comm] = sum($x);");
	traced_open(&script);
	expect_tables(&script, "some,");
	traced_close(&script);
}

/* clear() forgets nothing that is exported. */
static void test_cleared(void)
{
	struct traced script;
	char *program;

	open_script(&script, "@c[arg0 % 5] = count();");
	program = base_printf("%s interval:ms:1 { print(@c); clear(@c); @turns++; }", script.spec);
	free(script.spec);
	script.spec = program;
	((struct script_settings *)script.instance.settings)->program = program;
	traced_open(&script);
	traced_run();
	do
		script.instance.engine->take(&script.instance);
	while (traced_read(&script, "turns").values < 5);
	traced_expect(&script, "c", 5, THREADS * KEYS, 0, 0);
	traced_close(&script);
}

/* What a program deletes was counted all the same: numbers of a line never fall. */
static void test_deleted(void)
{
	const uint64_t all = THREADS * KEYS;
	struct traced script;

	open_script(&script, "if (arg1 == 99) { delete(@c[arg0]); } else { @c[arg0 % 5] = count(); }");
	traced_open(&script);
	traced_run();
	traced_expect_stats(&script, all, 0);
	traced_delete();
	traced_expect(&script, "c", 4, all / 5 * 4, 0, 0);
	traced_expect_stats(&script, all, 0);
	traced_run();
	traced_expect_stats(&script, 2 * all, 0);
	traced_close(&script);
}

/* --- what they print --- */

/* Runs a program that prints at its begin. Returns how many lines were not logged. */
static uint64_t count_dropped(const char *print)
{
	struct engine_stats stats = {};
	struct traced script;
	uint64_t dropped = 0;

	traced_init(&script, "lines", &script_engine, NULL, &script_schema, MAX);
	script.spec = base_printf("begin { %s @n = count(); } self:signal:SIGUSR1 { @n = count(); }", print);
	((struct script_settings *)script.instance.settings)->program = script.spec;
	traced_open(&script);
	script.instance.engine->armed(&script.instance);
	script.instance.engine->take(&script.instance);
	script.instance.engine->stats(&script.instance, &stats);
	for (size_t i = 0; i < stats.n_lost; i++)
		if (!strcmp(stats.lost[i].cause, "lines_dropped"))
			dropped = stats.lost[i].n;
	traced_close(&script);
	return dropped;
}

/*
 * Of what a program prints, a service logs ten lines in a second, and counts the others. 30 lines take two at most.
 * 40000 bytes without a newline are 39 lines of 1 KB.
 */
static void test_lines(void)
{
	__free char *endless = base_printf("unroll(100) { printf(\"%0400d\"); }", 0);
	uint64_t dropped = count_dropped("unroll(30) { printf(\"a line\\n\"); }");

	if (dropped < 10 || dropped > 20)
		traced_fail("lines", "%llu of 30 lines dropped", (unsigned long long)dropped);
	dropped = count_dropped(endless);
	if (dropped < 19 || dropped > 29)
		traced_fail("lines", "%llu of 39 KB dropped", (unsigned long long)dropped);
}

/* --- what is refused --- */

static void test_refused(void)
{
	static const struct {
		const char *body, *why;
	} programs[] = {
		{ "@[tid] = count();", "rows by tid (@) cannot be exported" },
		{ "@x[comm, pid] = hist(arg0);", "rows by pid (@x) cannot be exported" },
		{ "@x[ustack] = count();", "rows by stack (@x) cannot be exported" },
		{ "@x[curtask->tgid] = count();", "rows by tgid (@x) cannot be exported" },
		{ "@x[curtask] = count();", "cannot be exported" },
		{ "printf(\"%d\\n\", arg0);", "no totals to export" },
		{ "@start[tid] = nsecs; $x = @start[tid]; printf(\"%d\\n\", $x);", "no totals to export" },
	};
	struct traced traced;

	for (size_t i = 0; i < ARRAY_SIZE(programs); i++) {
		open_script(&traced, programs[i].body);
		traced_expect_refused(&traced, programs[i].why);
	}
}

int main(void)
{
	report_set_name("exported_script");
	traced_start();
	test_maps();
	test_cleared();
	test_deleted();
	test_tables();
	test_lines();
	test_refused();
	traced_end();
	puts("ok");
	return 0;
}
