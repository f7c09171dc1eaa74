// SPDX-License-Identifier: BSD-2-Clause
#include <sys/syscall.h>

#include "engine/hists.h"
#include "engines/count.h"
#include "engines/latency.h"
#include "engines/syscalls.h"
#include "output/printer.h"
#include "run/filter_parse.h"
#include "script/script.h"
#include "tests/engines/counted.h"
#include "tests/engines/fail.h"
#include "tests/engines/setup.h"

static const struct field count_fields[] = {
	FIELD(FIELD_STR, struct count_row, name, "func", "FUNC", -36),
	FIELD(FIELD_U64, struct count_row, count, "count", "COUNT", 8),
};
static const struct schema count_schema = { count_fields, ARRAY_SIZE(count_fields) };
static const struct field hist_fields[] = { HIST_FIELDS };
static const struct schema hist_schema = { hist_fields, ARRAY_SIZE(hist_fields) };
struct settings {
	struct syscalls_settings calls;
};
static const struct settings settings = { { .timed = true, .number = SYS_getpgid } };
static const struct syscalls_source syscalls_source = {
	.settings = SETTING(struct syscalls_settings, struct settings, calls),
};

/* What the functions below are given: where to add a row of an instance. */
struct sum {
	const struct engine_instance *instance;
	struct counted_totals totals;
};

static void add_count(const void *row, void *ctx)
{
	struct sum *sum = ctx;

	sum->totals.calls += ((const struct count_row *)row)->count;
}

static void add_hist(const void *data, void *ctx)
{
	const struct hist_row *row = data;
	struct sum *sum = ctx;

	sum->totals.calls += hist_count(row->hist, row->cells);
	sum->totals.ns += row->cells[HIST_SUM];
}

static void add_calls(const void *data, void *ctx)
{
	const struct syscalls_row *row = data;
	struct sum *sum = ctx;

	sum->totals.calls += row->calls;
	sum->totals.ns += row->ns;
	sum->totals.max = row->max;
}

/* Of a script's map: the last field is a number or a histogram. */
static void add_value(const void *row, void *ctx)
{
	struct sum *sum = ctx;
	const struct schema *schema = sum->instance->schema;
	__str struct str room = {};
	struct value value = {};

	value_read(&value, &schema->fields[schema->n - 1], row, NULL, &room);
	if (value.type == VALUE_HIST)
		add_hist(value.at, sum);
	else
		sum->totals.calls += value.bits;
}

static const struct counted_kind {
	const char *name;
	const struct engine *engine;
	const void *source;
	const struct schema *schema;
	engine_row_fn add;
} kinds[] = {
	{ "count", &count_engine, NULL, &count_schema, add_count },
	{ "latency", &latency_engine, NULL, &hist_schema, add_hist },
	{ "syscalls", &syscalls_engine, &syscalls_source, &count_schema, add_calls },
	{ "script", &script_engine, NULL, &script_schema, add_value },
};

void counted_choose(struct counted *counted, const char *engine)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(kinds[i].name, engine))
			counted->kind = &kinds[i];
	if (!counted->kind)
		fail("no engine %s", engine);
	counted->engine = counted->kind->engine;
}

int counted_open(struct counted *counted, const char *mechanism, const char **spec, const char *comm, struct err *err)
{
	const struct run_options options = { .comm = comm };
	struct engine_instance *instance = &counted->instance;
	struct engine_context *ctx = &counted->ctx;
	int ret;

	*ctx = (struct engine_context){ .cgroup = -1, .metrics = &counted->metrics };
	ctx->out = output_new(STDOUT_FILENO, OUTPUT_JSON);
	engine_init(instance, counted->engine, counted->kind->source, counted->kind->schema, ctx);
	if (counted->engine == &syscalls_engine)
		engine_add_settings(instance, sizeof(settings), &settings);
	else if (counted->engine == &script_engine)
		((struct script_settings *)instance->settings)->program = *spec;
	else
		instance->args = (struct opt_list){ .v = spec, .n = 1, .cap = 1 };
	if (strcmp(mechanism, "auto"))
		setup_option(instance, "--mechanism", mechanism);
	ret = filter_parse(&ctx->filter, &options, false, &ctx->cgroup, err);
	return ret ? ret : engine_open(instance, err);
}

void counted_close(struct counted *counted)
{
	engine_release(&counted->instance);
	output_free(counted->ctx.out);
}

struct counted_totals counted_total(struct counted *counted)
{
	struct sum sum = { .instance = &counted->instance };

	if (counted->engine->take)
		counted->engine->take(&counted->instance);
	if (counted->engine->snapshot(&counted->instance, counted->kind->add, &sum))
		fail("no snapshot");
	return sum.totals;
}

uint64_t counted_missed(const struct attach *attach)
{
	__free uint64_t *by_slot = base_alloc(attach_slots(attach) * sizeof(*by_slot));
	uint64_t sum = 0;

	if (attach_missed(attach, by_slot, &sum))
		return 0;
	for (size_t i = 0; i < attach_slots(attach); i++)
		sum += by_slot[i];
	return sum;
}
