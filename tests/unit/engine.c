// SPDX-License-Identifier: BSD-2-Clause
/*
 * Instances of an engine share nothing: neither what is parsed into their settings nor, after an end, what is in
 * memory.
 */
#include <criterion/criterion.h>

#include "engines/count.h"
#include "engines/latency.h"
#include "run/run.h"

static void parse(struct engine_instance *instance, char *option, char *value)
{
	char *argv[] = { "test", option, value, NULL };
	const struct engine *engine = instance->engine;
	const struct opt_table table = { NULL, engine->options, engine->n_options, instance->settings };
	struct opt_list args = {};
	struct err err = {};
	size_t dashdash;

	cr_assert_eq(opt_parse(3, argv, &table, 1, &args, &dashdash, &err), 0, "%s", err.text);
	free(args.v);
}

/* What one is told, the other is not: it has what a third one has that was told nothing. */
static void expect_apart(const struct engine *engine, char *option, char *value)
{
	struct engine_instance told, other, fresh;

	engine_init(&told, engine, NULL, NULL, NULL);
	engine_init(&other, engine, NULL, NULL, NULL);
	parse(&told, option, value);
	engine_init(&fresh, engine, NULL, NULL, NULL);
	cr_expect_arr_eq(other.settings, fresh.settings, engine->settings_size);
	cr_expect_arr_neq(told.settings, fresh.settings, engine->settings_size);
	engine_release(&told);
	cr_expect_arr_eq(other.settings, fresh.settings, engine->settings_size);
	engine_release(&other);
	engine_release(&fresh);
}

Test(engine, settings_are_apart)
{
	expect_apart(&count_engine, "--top", "7");
	expect_apart(&latency_engine, "--max-keys", "7");
}

/* Of every engine that a tool has: as a failed open leaves it, before anything was made. */
Test(engine, instances_are_apart)
{
	size_t n;
	const struct tool *const *tools = tool_list(&n);

	for (size_t i = 0; i < n; i++) {
		struct engine_instance one, other;

		tool_init_instance(tools[i], &one, NULL);
		tool_init_instance(tools[i], &other, NULL);
		cr_expect(!one.settings || one.settings != other.settings, "%s", tools[i]->name);
		cr_expect(!one.tool_settings || one.tool_settings != other.tool_settings, "%s", tools[i]->name);
		cr_expect_null(one.state);
		engine_release(&one);
		engine_release(&other);
		cr_expect_null(other.settings);
		cr_expect_null(other.tool_settings);
	}
}

/* What one completes in its schema, neither the other nor the tool's own has. */
Test(engine, schemas_are_apart)
{
	static const struct field fields[] = { { .key = "key", .title = "KEY" }, { .key = "count", .title = "COUNT" } };
	static const struct schema schema = { fields, ARRAY_SIZE(fields) };
	struct engine_instance one, other;

	engine_init(&one, &count_engine, NULL, &schema, NULL);
	engine_init(&other, &count_engine, NULL, &schema, NULL);
	engine_own_fields(&one)[0].key = "pid";
	engine_own_fields(&other)[0].key = "disk";
	/* a copy of the copy has what was completed */
	engine_own_fields(&one)[1].key = "calls";
	cr_expect_eq(one.schema->n, 2);
	cr_expect_str_eq(one.schema->fields[0].key, "pid");
	cr_expect_str_eq(one.schema->fields[1].key, "calls");
	cr_expect_str_eq(one.schema->fields[1].title, "COUNT");
	cr_expect_str_eq(other.schema->fields[0].key, "disk");
	cr_expect_str_eq(fields[0].key, "key");
	engine_release(&one);
	engine_release(&other);
}

/* Who streams has no totals; who makes tables has them. */
Test(engine, tables_have_totals)
{
	size_t n;
	const struct tool *const *tools = tool_list(&n);

	for (size_t i = 0; i < n; i++) {
		const struct engine *engine = tools[i]->engine;

		cr_expect(!engine || engine->take || engine->snapshot, "%s", tools[i]->name);
		cr_expect(!tools[i]->tables || engine->take, "%s", tools[i]->name);
	}
}
