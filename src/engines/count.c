// SPDX-License-Identifier: BSD-2-Clause
/*
 * The user side of the count engine: turns counters into rows. A table shows the difference to the table before, so no
 * hit is lost between two tables.
 */
#include "count.h"
#include "counters.h"

struct settings {
	struct probes_settings probes;
	uint32_t top;
};

static const struct opt options[] = {
	PROBES_REGEX(struct settings, probes),
	PROBES_MANGLED(struct settings, probes.mangled),
	OPT(OPT_U32, struct settings, top, 0, "top", "N", "print only the N largest counts of a table", .min = 1),
	PROBES_MECHANISM(struct settings, probes),
	PROBES_FORCE(struct settings, probes.force),
};

struct count {
	struct counters counters;
	uint64_t *before; /* each slot's total at the last table */
	struct count_row *rows;
};

static void count_stats(struct engine_instance *instance, struct engine_stats *stats)
{
	struct count *count = instance->state;

	counters_add_stats(&count->counters, stats);
	for (size_t slot = engine_max_rows(instance); slot < count->counters.set.n_slots; slot++)
		stats->other += count->counters.totals[slot];
}

static struct attach *count_attachment(const struct engine_instance *instance, size_t n)
{
	const struct count *count = instance->state;

	return n ? NULL : count->counters.attach;
}

static void count_close(struct engine_instance *instance)
{
	struct count *count = instance->state;

	if (!count)
		return;
	counters_release(&count->counters);
	free(count->before);
	free(count->rows);
	free(count);
}

static int count_open(struct engine_instance *instance, struct err *err)
{
	const struct settings *settings = instance->settings;
	struct count *count = base_alloc(sizeof(*count));
	struct target_set *set = &count->counters.set;
	int ret;

	instance->state = count;
	ret = probes_resolve(instance, &settings->probes, "count", set, err);
	if (ret)
		return ret;
	count->before = base_alloc(set->n_slots * sizeof(*count->before));
	count->rows = base_alloc(set->n_slots * sizeof(*count->rows));
	return counters_open(&count->counters, instance, &settings->probes, err);
}

static void count_armed(struct engine_instance *instance)
{
	struct count *count = instance->state;

	probes_say_armed(instance, attach_count(count->counters.attach));
}

static int by_count(const void *pa, const void *pb)
{
	const struct count_row *a = pa, *b = pb;

	if (a->count != b->count)
		return a->count < b->count ? -1 : 1;
	return strcmp(a->name, b->name);
}

static struct count_row row_of(const struct counters *counters, size_t slot, uint64_t count)
{
	return (struct count_row){
		.name = counters->set.slots[slot],
		.symbol = counters->set.symbols[slot],
		.count = count,
	};
}

static int count_snapshot(struct engine_instance *instance, engine_row_fn fn, void *ctx)
{
	struct count *count = instance->state;
	struct counters *counters = &count->counters;
	struct count_row others = {};

	counters_update(counters);
	for (size_t slot = 0; slot < counters->set.n_slots; slot++) {
		const struct count_row row = row_of(counters, slot, counters->totals[slot]);

		if (slot >= engine_max_rows(instance))
			others.count += row.count;
		else if (row.count || instance->ctx->metrics)
			fn(&row, ctx);
	}
	if (others.count)
		engine_row_of_others(instance, &others, fn, ctx);
	return 0;
}

/* Makes the rows that are not zero, ascending, and remembers the totals for the difference of the next table. */
static size_t collect(struct count *count)
{
	struct counters *counters = &count->counters;
	size_t n = 0;

	counters_update(counters);
	for (size_t slot = 0; slot < counters->set.n_slots; slot++) {
		uint64_t total = counters->totals[slot];

		/* the kernel's counts are not read at one moment: never let them decrease */
		if (total <= count->before[slot])
			continue;
		count->rows[n++] = row_of(counters, slot, total - count->before[slot]);
		count->before[slot] = total;
	}
	qsort(count->rows, n, sizeof(*count->rows), by_count);
	return n;
}

static void count_emit(struct engine_instance *instance, bool last)
{
	const struct settings *settings = instance->settings;
	struct count *count = instance->state;
	size_t n = collect(count), first = 0;

	if (settings->top && n > settings->top)
		first = n - settings->top;
	engine_table_begin(instance);
	for (size_t i = first; i < n; i++)
		output_row(instance->ctx->out, &count->rows[i]);
	output_table_end(instance->ctx->out);
}

static void count_losses(struct engine_instance *instance)
{
	struct count *count = instance->state;
	struct counters *counters = &count->counters;
	struct target_notes failed = {};

	probes_not_attached(counters->attach, &counters->set, &failed);
	probes_say_left_out(instance, &counters->set, &failed);
	free(failed.v);
	counters_say_losses(counters);
}

const struct engine count_engine = {
	.options_title = "probes",
	.options = options,
	.n_options = ARRAY_SIZE(options),
	.settings_size = sizeof(struct settings),
	.open = count_open,
	.armed = count_armed,
	.snapshot = count_snapshot,
	.emit = count_emit,
	.losses = count_losses,
	.stats = count_stats,
	.attachment = count_attachment,
	.close = count_close,
};
