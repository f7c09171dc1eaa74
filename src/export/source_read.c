// SPDX-License-Identifier: BSD-2-Clause
/* What others see of a source: its state, totals as samples, losses as numbers. */
#include "attach/attach.h"
#include "base/clock.h"
#include "base/report.h"
#include "engine/intake.h"
#include "source_part.h"

/* --- what others see of it --- */

const struct config_line *source_line(const struct source *source)
{
	return &source->line;
}

const char *source_name(const struct source *source)
{
	return source->name;
}

const char *source_label(const struct source *source)
{
	return source->label;
}

bool source_is_up(const struct source *source)
{
	return source->up;
}

const char *source_why_down(const struct source *source)
{
	return source->up ? NULL : source->why ?
					       : "not attached yet";
}

uint64_t source_began(const struct source *source)
{
	return source->began;
}

bool source_is_adopted(const struct source *source)
{
	return keep_is_adopted(source->kept.keep);
}

int source_fd(const struct source *source)
{
	return source->up ? intake_fd(source->instance.intake) : -1;
}

uint64_t source_deadline(const struct source *source)
{
	return source->up ? source->deadline : UINT64_MAX;
}

static void end(struct source *source, const char *why)
{
	report_error("%s: %s", source->label, why);
	source_close(source, why);
}

void source_take(struct source *source)
{
	const struct engine *engine = source->tool->engine;
	const char *name;

	if (!source->up || !engine->take)
		return;
	name = source_enter(source);
	source->deadline = clock_monotonic_ns() + engine->take(&source->instance) * NS_PER_MS;
	report_set_name(name);
	if (source->ctx.done)
		end(source, "it has ended by itself");
}

/* --- rows --- */

struct collection {
	struct source *source;
	struct metrics *metrics;
};

/* Appends what distinguishes the row from others. */
static void add_key(struct str *key, const struct metrics_rows *rows, const void *row)
{
	for (size_t i = 0; i < rows->schema->n; i++) {
		const struct field *field = &rows->schema->fields[i];
		enum field_role role = field_role(field);

		if (role != ROLE_LABEL && role != ROLE_TASK)
			continue;
		output_add_text(key, field, row, rows->ctx);
		str_addc(key, 0);
	}
}

/*
 * Whether the row finds no room. The keys that were seen first keep their rows, so that a key's values never change
 * between its own row and that of all others.
 */
static bool is_too_many(const struct source *source, struct source_table *table, const void *row)
{
	__str struct str key = {};

	add_key(&key, &table->rows, row);
	if (set_find(&table->keys, key.data, key.len) != SET_NONE)
		return false;
	if (table->keys.n >= source->line.max)
		return true;
	set_add(&table->keys, key.data, key.len);
	return false;
}

static void add_row(const void *row, void *ctx)
{
	struct collection *collection = ctx;
	struct source *source = collection->source;
	struct source_table *table = &source->tables[source->instance.table];
	enum metrics_whose whose = METRICS_KEY;

	if (source->instance.other)
		whose = METRICS_OTHER;
	else if (is_too_many(source, table, row))
		whose = METRICS_OF_OTHER;
	metrics_rows_add(collection->metrics, &table->rows, row, whose);
}

int source_collect(struct source *source, struct metrics *metrics)
{
	struct collection collection = { source, metrics };
	const char *name;
	bool is_last;
	int ret;

	source_take(source);
	if (!source->up)
		return 0;
	/* asked first: then the totals have all that the process did */
	is_last = !source_has_task(source);
	name = source_enter(source);
	ret = source->tool->engine->snapshot(&source->instance, add_row, &collection);
	/* before anybody sees which keys have rows */
	if (source_count_keys(source) != source->kept.n_keys)
		source_keep(source);
	report_set_name(name);
	if (ret && ret != source->read_error) {
		report_error("cannot read the totals of '%s': %s", source->label, strerror(-ret));
		source->read_error = ret;
	}
	if (is_last)
		end(source, "its process has ended");
	return ret;
}

void source_each_family(struct source *source, source_family_fn fn, void *ctx)
{
	const char *name = source_enter(source);

	for (size_t i = 0; i < source->n_tables; i++)
		metrics_rows_each(&source->tables[i].rows, fn, ctx);
	report_set_name(name);
}

/* --- numbers --- */

void source_stats(struct source *source, struct engine_stats *stats)
{
	const char *name;

	*stats = (struct engine_stats){};
	if (!source->up || !source->tool->engine->stats)
		return;
	name = source_enter(source);
	source->tool->engine->stats(&source->instance, stats);
	report_set_name(name);
}

struct attach *source_attachment(struct source *source, size_t n)
{
	const struct engine *engine = source->tool->engine;

	return source->up && engine->attachment ? engine->attachment(&source->instance, n) : NULL;
}

/* ret: of attach_missed_returns(). */
static void say_unknown_returns(struct source *source, int ret)
{
	const char *name;

	if (!ret || ret == source->missed_error)
		return;
	source->missed_error = ret;
	name = source_enter(source);
	report_note("returns may be missing that sonde_missed_hits_total does not have: how many the kernel missed cannot be "
		    "read: %s",
		    strerror(-ret));
	report_set_name(name);
}

uint64_t source_missed(struct source *source)
{
	struct attach *attach;
	uint64_t sum = 0;

	for (size_t n = 0; (attach = source_attachment(source, n)); n++) {
		size_t n_slots = attach_slots(attach);
		__free uint64_t *by_slot = base_alloc(n_slots * sizeof(*by_slot));
		uint64_t others = 0, returns = 0;

		say_unknown_returns(source, attach_missed_returns(attach, &returns));
		sum += returns;
		if (attach_missed(attach, by_slot, &others))
			continue;
		sum += others;
		for (size_t slot = 0; slot < n_slots; slot++)
			sum += by_slot[slot];
	}
	return sum;
}

bool source_is_paused(struct source *source)
{
	const struct attach *attach = source_attachment(source, 0);

	return attach && attach_is_paused(attach);
}

void source_relinked(struct source *source)
{
	const bool paused = source_is_paused(source);
	const char *name = source_enter(source);

	source_end_pause(source);
	if (paused)
		source->paused_ns = clock_monotonic_ns();
	source_keep(source);
	report_set_name(name);
}

void source_end_pause(struct source *source)
{
	source->gap_ns = source_gap_ns(source);
	source->paused_ns = 0;
}

uint64_t source_gap_ns(const struct source *source)
{
	return source->gap_ns + (source->paused_ns ? clock_monotonic_ns() - source->paused_ns : 0);
}

uint64_t *source_sampling(const struct source *source)
{
	return source->up ? source->instance.sampling : NULL;
}

size_t source_attached(struct source *source)
{
	const struct attach *attach;
	size_t sum = 0;

	for (size_t n = 0; (attach = source_attachment(source, n)); n++)
		sum += attach_count(attach);
	return sum;
}

void source_each_unattached(struct source *source, size_t most, source_probe_fn fn, void *ctx)
{
	const struct attach *attach;
	__str struct str name = {};

	for (size_t n = 0; (attach = source_attachment(source, n)); n++) {
		for (size_t i = 0; most && i < attach_targets(attach); i++) {
			if (attach_is_served(attach, i))
				continue;
			most--;
			str_reset(&name);
			attach_add_name(&name, attach, i);
			fn(name.data, str_or_empty(attach_why_not(attach, i)), ctx);
		}
	}
}
