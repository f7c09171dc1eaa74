// SPDX-License-Identifier: BSD-2-Clause
/* A child whose threads call functions of ours, engines that trace it, and what their snapshots must have. */
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>

#include "child.h"
#include "output/hist.h"
#include "output/printer.h"
#include "run/filter_parse.h"
#include "traced.h"

void traced_fail(const char *who, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	printf("%s: ", who);
	vprintf(fmt, args);
	va_end(args);
	puts("");
	exit(1);
}

__attribute__((noipa)) void exported_alpha(void)
{
	__asm__ volatile("");
}

__attribute__((noipa)) void exported_beta(void)
{
	__asm__ volatile("");
}

__attribute__((noipa)) void exported_gamma(void)
{
	__asm__ volatile("");
}

__attribute__((noipa)) void exported_key(unsigned long key, unsigned long value)
{
	__asm__ volatile(""
			 :
			 : "r"(key), "r"(value));
}

/* --- the child --- */

static struct child child;

unsigned long traced_value(unsigned long key)
{
	return key % 7 + 1;
}

static void *call_all(void *number)
{
	cpu_set_t cpus;

	/* the machine may have only one */
	CPU_ZERO(&cpus);
	CPU_SET((size_t)number, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	for (int i = 0; i < ALPHAS; i++)
		exported_alpha();
	for (int i = 0; i < BETAS; i++)
		exported_beta();
	for (int i = 0; i < GAMMAS; i++)
		exported_gamma();
	for (unsigned long key = 0; key < KEYS; key++)
		exported_key(key, traced_value(key));
	syscall(SYS_getppid);
	syscall(SYS_getpgid, 0);
	return NULL;
}

static void work(int requests, int answers)
{
	char byte;

	while (read(requests, &byte, 1) == 1) {
		pthread_t threads[THREADS];

		if (byte)
			exported_key(TRACED_DELETED, byte);
		for (size_t i = 0; !byte && i < THREADS; i++)
			if (pthread_create(&threads[i], NULL, call_all, (void *)i))
				_exit(1);
		for (size_t i = 0; !byte && i < THREADS; i++)
			pthread_join(threads[i], NULL);
		if (write(answers, "", 1) != 1)
			break;
	}
}

uint64_t traced_sum(void)
{
	uint64_t sum = 0;

	for (unsigned long key = 0; key < KEYS; key++)
		sum += traced_value(key);
	return sum * THREADS;
}

void traced_start(void)
{
	child = child_start(work);
}

void traced_end(void)
{
	child_end(&child);
}

/* Returns when the child has done what the byte says: 0, the threads make their calls; TRACED_DELETE, it makes one. */
static void ask(char what)
{
	if (!child_ask(&child, &what, sizeof(what)))
		traced_fail("child", "it has ended");
}

void traced_run(void)
{
	ask(0);
}

void traced_delete(void)
{
	ask(TRACED_DELETE);
}

/* --- engines --- */

void traced_init(struct traced *traced, const char *name, const struct engine *engine, const void *source,
		 const struct schema *schema, uint32_t max)
{
	*traced = (struct traced){ .name = name, .metrics = { .max_keys = max } };
	traced->ctx = (struct engine_context){ .cgroup = -1, .pid = child.pid, .metrics = &traced->metrics };
	traced->ctx.out = output_new(STDOUT_FILENO, OUTPUT_JSON);
	engine_init(&traced->instance, engine, source, schema, &traced->ctx);
}

static int traced_try(struct traced *traced, struct err *err)
{
	const struct run_options options = { .pid = child.pid };
	int ret = filter_parse(&traced->ctx.filter, &options, false, &traced->ctx.cgroup, err);

	return ret ? ret : engine_open(&traced->instance, err);
}

void traced_open(struct traced *traced)
{
	struct err err = {};

	if (traced_try(traced, &err))
		traced_fail(traced->name, "%s", err.text);
}

void traced_close(struct traced *traced)
{
	traced->instance.args = (struct opt_list){};
	engine_release(&traced->instance);
	output_free(traced->ctx.out);
	free(traced->spec);
}

/* --- what they say --- */

/* The field that is exported: a histogram, a number that is counted, or a value. */
static const struct field *main_field(const struct schema *schema)
{
	const struct field *found = NULL;

	for (size_t i = 0; i < schema->n; i++) {
		enum field_role role = field_role(&schema->fields[i]);

		if (role == ROLE_HISTOGRAM || role == ROLE_SUMMARY)
			return &schema->fields[i];
		if (!found && (role == ROLE_COUNTER || role == ROLE_VALUE))
			found = &schema->fields[i];
	}
	return found;
}

static bool is_of(const struct totals *totals)
{
	const struct engine_instance *instance = &totals->of->instance;
	const struct engine_table *tables;

	return !totals->table || (instance->engine->tables(instance, &tables) > instance->table &&
				  !strcmp(tables[instance->table].name, totals->table));
}

static void add_row(const void *row, void *ctx)
{
	struct totals *totals = ctx;
	const struct engine_instance *instance = &totals->of->instance;
	__str struct str room = {};
	struct value value = {};
	uint64_t n;

	if (!is_of(totals))
		return;
	value_read(&value, main_field(instance->schema), row, NULL, &room);
	n = value.bits;
	if (value.type == VALUE_HIST) {
		const struct hist_row *hist = value.at;

		n = hist_count(hist->hist, hist->cells);
		totals->sum += hist->cells[HIST_SUM];
	}
	totals->rows += !instance->other;
	totals->values += n;
	totals->others += instance->other ? n : 0;
}

struct totals traced_read(const struct traced *traced, const char *table)
{
	struct totals totals = { .of = traced, .table = table };
	struct engine_instance *instance = (struct engine_instance *)&traced->instance;

	if (instance->engine->snapshot(instance, add_row, &totals))
		traced_fail(traced->name, "no snapshot");
	if (instance->other)
		traced_fail(traced->name, "other is still set");
	return totals;
}

void traced_expect(const struct traced *traced, const char *table, size_t rows, uint64_t values, uint64_t others,
		   uint64_t sum)
{
	const struct totals totals = traced_read(traced, table);

	if (totals.rows != rows || totals.values != values || totals.others != others || totals.sum != sum)
		traced_fail(traced->name, "%s: %zu rows, %llu values, %llu others, sum %llu; not %zu, %llu, %llu, %llu",
			    table ?: "", totals.rows, (unsigned long long)totals.values,
			    (unsigned long long)totals.others, (unsigned long long)totals.sum, rows,
			    (unsigned long long)values, (unsigned long long)others, (unsigned long long)sum);
}

void traced_expect_stats(struct traced *traced, uint64_t hits, uint64_t others)
{
	struct engine_stats stats = {};

	traced->instance.engine->stats(&traced->instance, &stats);
	if (stats.hits != hits || stats.other != others)
		traced_fail(traced->name, "%llu hits, %llu others; not %llu, %llu", (unsigned long long)stats.hits,
			    (unsigned long long)stats.other, (unsigned long long)hits, (unsigned long long)others);
	if (stats.memory < 4096)
		traced_fail(traced->name, "%zu bytes of memory", stats.memory);
	for (size_t i = 0; i < stats.n_lost; i++)
		if (stats.lost[i].n)
			traced_fail(traced->name, "%llu lost: %s", (unsigned long long)stats.lost[i].n,
				    stats.lost[i].cause);
}

void traced_expect_refused(struct traced *traced, const char *wanted)
{
	struct err err = {};

	if (!traced_try(traced, &err))
		traced_fail(traced->name, "it is not refused: %s", wanted);
	if (!strstr(err.text, wanted) || !traced->ctx.usage)
		traced_fail(traced->name, "refused with '%s', not '%s'", err.text, wanted);
	traced_close(traced);
}
