// SPDX-License-Identifier: BSD-2-Clause
/* Totals of distributions, without a table: what exporters read. */
#include "dist_part.h"

struct snapshot {
	const struct dist *dist;
	engine_row_fn fn;
	void *ctx;
};

static void hand_on_key(const union dist_key *key, const char *label, const uint64_t *cells, void *ctx)
{
	const struct snapshot *snapshot = ctx;
	struct dist_shown shown = dist_shown_key(snapshot->dist, key, label, cells);

	if (shown.count)
		dist_hand_on(snapshot->dist, &shown, false, snapshot->fn, snapshot->ctx);
}

static void hand_on_numbers(struct dist *dist, engine_row_fn fn, void *ctx)
{
	for (size_t i = 0; i < dist->hists.n && i < engine_max_rows(dist->instance); i++) {
		struct dist_shown shown = dist_shown_number(dist, i, hists_read(&dist->hists, i));

		if (shown.count || dist->instance->ctx->metrics)
			dist_hand_on(dist, &shown, false, fn, ctx);
	}
}

/* All that an exporter has no row for: by key histogram 0, else those of further numbers. */
static struct dist_shown shown_others(struct dist *dist)
{
	size_t first = dist->kind ? 0 : engine_max_rows(dist->instance);

	if (!dist->instance->ctx->metrics || first >= dist->hists.n)
		return (struct dist_shown){};
	return dist_shown_number(dist, 0, hists_read_from(&dist->hists, first));
}

static void hand_on_others(struct dist *dist, const struct dist_shown *shown, engine_row_fn fn, void *ctx)
{
	const struct dist_row row = {
		.hist = { .hist = &dist->hists.hist, .cells = shown->cells, .title = dist->by },
		.counts = dist->counts,
	};

	engine_row_of_others(dist->instance, &row, fn, ctx);
}

int dist_snapshot(struct engine_instance *instance, engine_row_fn fn, void *ctx)
{
	struct dist *dist = instance->state;
	struct snapshot snapshot = { dist, fn, ctx };
	struct dist_shown others;
	int ret = 0;

	if (dist->kind)
		ret = keys_read(&dist->keys, hand_on_key, &snapshot);
	else
		hand_on_numbers(dist, fn, ctx);
	others = shown_others(dist);
	if (others.count)
		hand_on_others(dist, &others, fn, ctx);
	return ret;
}

/* Adds up the values of a row. */
static void count_key(const union dist_key *key, const char *label, const uint64_t *cells, void *ctx)
{
	struct snapshot *counting = ctx;

	*(uint64_t *)counting->ctx += hist_count(&counting->dist->hists.hist, cells);
}

void dist_stats(struct engine_instance *instance, struct engine_stats *stats)
{
	struct dist *dist = instance->state;
	struct snapshot counting = { .dist = dist, .ctx = &stats->hits };

	if (dist->kind)
		keys_read(&dist->keys, count_key, &counting);
	else
		stats->hits = hists_count(&dist->hists);
	stats->other = shown_others(dist).count;
	if (dist->kind)
		stats->hits += stats->other;
	if (dist->kind && !instance->ctx->metrics)
		engine_stats_add(stats, "no_row", dist_word(dist, DIST_NO_ROW));
	progs_add_stats(&dist->progs, stats);
}

struct attach *dist_attachment(const struct engine_instance *instance, size_t n)
{
	const struct dist *dist = instance->state;

	return n ? NULL : dist->progs.attach;
}
