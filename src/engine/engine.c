// SPDX-License-Identifier: BSD-2-Clause
/* Shared by all engines: the life of an instance, its schema, tables, progress. */
#include <sched.h>
#include <sys/resource.h>

#include "attach/keep.h"
#include "base/clock.h"
#include "base/report.h"
#include "engine.h"
#include "follow.h"

#define READER_NICE -10

void engine_init(struct engine_instance *instance, const struct engine *engine, const void *source,
		 const struct schema *schema, struct engine_context *ctx)
{
	*instance = (struct engine_instance){ .engine = engine, .source = source, .schema = schema, .ctx = ctx };
	if (!engine || !engine->settings_size)
		return;
	instance->settings = base_alloc(engine->settings_size);
	if (engine->defaults)
		memcpy(instance->settings, engine->defaults, engine->settings_size);
}

int engine_open(struct engine_instance *instance, struct err *err)
{
	int ret;

	instance->filter = instance->ctx->filter;
	ret = instance->engine->open(instance, err);
	if (!ret)
		ret = keep_complete(engine_keep(instance), err);
	report_progress(NULL, 0, 0);
	return ret;
}

struct keep *engine_keep(const struct engine_instance *instance)
{
	return instance->ctx && instance->ctx->metrics ? instance->ctx->metrics->keep : NULL;
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
	follow_free(instance->follow);
	if (engine_keep(instance))
		keep_forget(engine_keep(instance));
	free(instance->settings);
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
