// SPDX-License-Identifier: BSD-2-Clause
/* Shared by all engines: the life of an instance, its schema, tables, progress. */
#include <sched.h>
#include <sys/resource.h>

#include "attach/keep.h"
#include "base/clock.h"
#include "base/report.h"
#include "engine.h"
#include "follow.h"
#include "intake.h"

#define READER_NICE -10

static void *new_settings(size_t size, const void *defaults)
{
	void *settings = size ? base_alloc(size) : NULL;

	if (size && defaults)
		memcpy(settings, defaults, size);
	return settings;
}

void engine_init(struct engine_instance *instance, const struct engine *engine, const void *source,
		 const struct schema *schema, struct engine_context *ctx)
{
	*instance = (struct engine_instance){ .engine = engine, .source = source, .schema = schema, .ctx = ctx };
	if (engine)
		instance->settings = new_settings(engine->settings_size, engine->defaults);
}

void engine_add_settings(struct engine_instance *instance, size_t size, const void *defaults)
{
	instance->tool_settings = new_settings(size, defaults);
}

int engine_open(struct engine_instance *instance, struct err *err)
{
	int ret;

	instance->filter = instance->ctx->filter;
	if (instance->engine->take)
		instance->intake = intake_new();
	ret = instance->engine->open(instance, err);
	if (!ret)
		ret = keep_complete(engine_keep(instance), err);
	if (!ret)
		engine_choose_columns(instance, instance->tool_settings);
	report_progress(NULL, 0, 0);
	return ret;
}

int engine_take(struct engine_instance *instance)
{
	return intake_take(instance->intake);
}

struct keep *engine_keep(const struct engine_instance *instance)
{
	const struct engine_metrics *metrics = instance->ctx ? instance->ctx->metrics : NULL;

	return metrics && !instance->keeps_nothing ? metrics->keep : NULL;
}

/* It may be a command without its --. What is exported runs no command. */
int engine_unexpected(const struct engine_instance *instance, const char *argument, struct err *err)
{
	if (instance->ctx->metrics)
		return err_set(err, -EINVAL, "unexpected argument '%s'", argument);
	return err_set(err, -EINVAL, "unexpected argument '%s': a command comes after --", argument);
}

void engine_losses(struct engine_instance *instance)
{
	instance->engine->losses(instance);
	if (instance->follow)
		follow_losses(instance->follow);
}

void engine_stats_add(struct engine_stats *stats, const char *cause, uint64_t n)
{
	if (stats->n_lost < ENGINE_CAUSES)
		stats->lost[stats->n_lost++] = (struct engine_lost){ cause, n };
}

void engine_release(struct engine_instance *instance)
{
	if (instance->engine)
		instance->engine->close(instance);
	intake_free(instance->intake);
	follow_free(instance->follow);
	if (engine_keep(instance))
		keep_forget(engine_keep(instance));
	free(instance->settings);
	free(instance->tool_settings);
	free(instance->own_schema);
	*instance = (struct engine_instance){};
}

struct field *engine_own_fields(struct engine_instance *instance)
{
	const struct schema *from = instance->schema;
	struct {
		struct schema schema;
		struct field fields[];
	} *own = base_alloc(sizeof(*own) + from->n * sizeof(own->fields[0]));

	own->schema = *from;
	own->schema.fields = own->fields;
	memcpy(own->fields, from->fields, from->n * sizeof(own->fields[0]));
	/* free it only now: the new copy may have been made from the old one */
	free(instance->own_schema);
	instance->own_schema = own;
	instance->schema = &own->schema;
	return own->fields;
}

struct schema *engine_own_schema(struct engine_instance *instance)
{
	return instance->own_schema;
}

static bool is_hidden(const struct engine_context *ctx, const struct field *field, const void *settings)
{
	const bool given[] = {
		[FIELD_ALWAYS] = true,
		[FIELD_WITH_TIME] = ctx->time,
		[FIELD_WITH_TIMESTAMP] = ctx->timestamp,
		[FIELD_WITH_VERBOSE] = ctx->verbose,
	};

	return !given[field->with] || !setting_is(settings, field->shown, true);
}

static bool has_choice(const struct schema *schema)
{
	for (size_t i = 0; schema && i < schema->n; i++)
		if (schema->fields[i].with || schema->fields[i].shown)
			return true;
	return false;
}

void engine_choose_columns(struct engine_instance *instance, const void *settings)
{
	struct field *fields;

	if (!has_choice(instance->schema))
		return;
	fields = engine_own_fields(instance);
	for (size_t i = 0; i < instance->schema->n; i++)
		fields[i].hidden = is_hidden(instance->ctx, &fields[i], settings);
}

size_t engine_max_rows(const struct engine_instance *instance)
{
	return instance->ctx->metrics ? instance->ctx->metrics->max_keys : SIZE_MAX;
}

void engine_row_of_others(struct engine_instance *instance, const void *row, engine_row_fn fn, void *ctx)
{
	instance->other = true;
	fn(row, ctx);
	instance->other = false;
}

int engine_check_key(const struct engine_instance *instance, const char *key, struct err *err)
{
	if (!instance->ctx->metrics)
		return 0;
	return err_set(err, -EINVAL,
		       "rows by %s cannot be exported: there are ever new ones, and each would stay as a series", key);
}

void engine_table_begin(struct engine_instance *instance)
{
	const struct engine_context *ctx = instance->ctx;
	const struct output_stamp stamp = {
		.wall_ns = clock_wall_ns(),
		.since_ns = clock_monotonic_ns() - ctx->began,
		.show_wall = ctx->time,
		.show_since = ctx->timestamp,
	};

	output_table_begin(ctx->out, instance->schema, &stamp, !instance->emitted);
	instance->emitted = true;
}

void engine_hurry(void)
{
	if (setpriority(PRIO_PROCESS, 0, READER_NICE))
		report_verbose("the reader's priority stays as it is: %s", strerror(errno));
}

/* The lowest real-time priority. */
void engine_precede(bool on)
{
	const struct sched_param param = { .sched_priority = on };

	if (sched_setscheduler(0, on ? SCHED_RR : SCHED_OTHER, &param))
		report_verbose("the reader's scheduling policy stays as it is: %s", strerror(errno));
}

int engine_progress(void *ctx, size_t done, size_t total)
{
	const struct engine_instance *instance = ctx;

	report_progress("attaching", done, total);
	return instance->ctx->should_stop && instance->ctx->should_stop(instance->ctx->should_stop_ctx);
}
