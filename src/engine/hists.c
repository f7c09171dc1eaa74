// SPDX-License-Identifier: BSD-2-Clause
/* Makes rows of histograms in maps: adds up the cells of all shards, and subtracts what earlier tables have shown. */
#include "hists.h"

/* Metrics are in seconds, whatever unit people see: only the buckets of --linear are in that unit. */
static void use_bounds(struct hist *hist)
{
	if (hist->kind == HIST_LINEAR)
		return;
	if (hist->kind == HIST_LOG2)
		*hist = (struct hist){ .kind = HIST_BOUNDS, .step = HIST_BOUND_SECONDS };
	hist->divisor = 1;
	hist->unit = "nsecs";
}

int hists_init(struct hists *hists, const struct engine_context *ctx, const struct hists_settings *settings,
	       struct err *err)
{
	if (settings->usecs && settings->msecs)
		return err_set(err, -EINVAL, "microseconds or milliseconds, not both");
	if (settings->linear && settings->precise)
		return err_set(err, -EINVAL, "--linear and --precise are two kinds of histograms: choose one");
	hists->hist = (struct hist){
		.kind = settings->linear    ? HIST_LINEAR
			: settings->precise ? HIST_PRECISE
					    : HIST_LOG2,
		.step = settings->linear ? settings->linear : 1,
		.divisor = settings->msecs   ? 1000000
			   : settings->usecs ? 1000
					     : 1,
		.unit = settings->msecs	  ? "msecs"
			: settings->usecs ? "usecs"
					  : "nsecs",
	};
	if (ctx->metrics)
		use_bounds(&hists->hist);
	hists->words = hist_words(&hists->hist);
	return 0;
}

int hists_size(struct hists *hists, struct object *object, size_t n, bool all_in_one,
	       struct attach_options *options, struct err *err)
{
	hists->n = all_in_one ? 1 : n;
	hists->all_in_one = all_in_one;
	hists->shards = shards_of(hists->n * hists->words * sizeof(uint64_t));
	options->shared = options->shared || (all_in_one && n > 1) || shards_are_shared(&hists->shards);
	return object_size_value(object, ".data.hist", hists_memory(hists), err);
}

int hists_patch(const struct hists *hists, struct image *image, struct err *err)
{
	int ret = image_patch(image, PATCH_HIST_KIND, hists->hist.kind, err);

	if (!ret)
		ret = image_patch(image, PATCH_HIST_UNIT, hists->hist.divisor, err);
	if (!ret)
		ret = image_patch(image, PATCH_HIST_STEP, hists->hist.step, err);
	if (ret || !image_has(image, PATCH_HIST_STRIDE))
		return ret;
	image_patch_optional(image, PATCH_HIST_STRIDE, hists->all_in_one ? 0 : hists->words * sizeof(uint64_t));
	return shards_patch(&hists->shards, image, err);
}

void hists_map(struct hists *hists, const struct object *object)
{
	hists->cells = object_memory(object, ".data.hist", hists_memory(hists));
	hists->now = base_alloc(hists->words * sizeof(*hists->now));
	hists->before = base_alloc(hists->n * hists->words * sizeof(*hists->before));
	hists->between = base_alloc(hists->n * hists->words * sizeof(*hists->between));
}

size_t hists_memory(const struct hists *hists)
{
	return shards_memory(&hists->shards);
}

/* Adds up the cells of one histogram over all shards. */
static void add_up(const struct hists *hists, uint64_t *to, size_t number)
{
	size_t stride = hists->shards.size / sizeof(*to);

	for (size_t i = 0; i < hists->shards.n; i++)
		hist_merge(&hists->hist, to, hists->cells + i * stride + number * hists->words);
}

const uint64_t *hists_read(struct hists *hists, size_t number)
{
	memset(hists->now, 0, hists->words * sizeof(*hists->now));
	add_up(hists, hists->now, number);
	return hists->now;
}

const uint64_t *hists_take(struct hists *hists, size_t number)
{
	uint64_t *before = hists->before + number * hists->words, *between = hists->between + number * hists->words;
	size_t bytes = hists->words * sizeof(*before);

	hists_read(hists, number);
	hist_difference(&hists->hist, between, hists->now, before);
	memcpy(before, hists->now, bytes);
	return between;
}

uint64_t hists_count(const struct hists *hists)
{
	size_t stride = hists->shards.size / sizeof(*hists->cells);
	uint64_t count = 0;

	for (size_t i = 0; i < hists->shards.n; i++)
		for (size_t number = 0; number < hists->n; number++)
			count += hist_count(&hists->hist, hists->cells + i * stride + number * hists->words);
	return count;
}

uint64_t hists_seen(const struct hists *hists, size_t number)
{
	return hist_count(&hists->hist, hists->before + (number < hists->n ? number : 0) * hists->words);
}

static void take_all(struct hists *hists, bool as_one)
{
	for (size_t i = 0; i < hists->n; i++) {
		hists_take(hists, i);
		if (as_one && i)
			hist_merge(&hists->hist, hists->between, hists->between + i * hists->words);
	}
}

static struct hist_row row_of(const struct hists *hists, const char *title, const struct target_set *set, size_t number)
{
	return (struct hist_row){
		.hist = &hists->hist,
		.title = title,
		.key = set ? set->slots[number] : NULL,
		.symbol = set ? set->symbols[number] : NULL,
	};
}

const uint64_t *hists_read_from(struct hists *hists, size_t first)
{
	memset(hists->now, 0, hists->words * sizeof(*hists->now));
	for (size_t i = first; i < hists->n; i++)
		add_up(hists, hists->now, i);
	return hists->now;
}

void hists_snapshot(struct hists *hists, struct engine_instance *instance, const char *title,
		    const struct target_set *set, engine_row_fn fn, void *ctx)
{
	size_t max = engine_max_rows(instance), n = set ? hists->n : 1;
	struct hist_row row;

	for (size_t i = 0; i < n && i < max; i++) {
		row = row_of(hists, title, set, i);
		row.cells = set ? hists_read(hists, i) : hists_read_from(hists, 0);
		if (instance->ctx->metrics || hist_count(&hists->hist, row.cells))
			fn(&row, ctx);
	}
	if (n <= max)
		return;
	row = row_of(hists, title, NULL, 0);
	row.cells = hists_read_from(hists, max);
	if (hist_count(&hists->hist, row.cells))
		engine_row_of_others(instance, &row, fn, ctx);
}

void hists_emit(struct hists *hists, struct engine_instance *instance, const char *title, const struct target_set *set)
{
	bool first = true;

	take_all(hists, !set);
	engine_table_begin(instance);
	for (size_t i = 0; i < (set ? hists->n : 1); i++) {
		struct hist_row row = row_of(hists, title, set, i);

		row.first = first;
		row.cells = hists->between + i * hists->words;
		if (!hist_count(&hists->hist, row.cells))
			continue;
		output_row(instance->ctx->out, &row);
		first = false;
	}
	output_table_end(instance->ctx->out);
}

void hists_release(struct hists *hists)
{
	free(hists->now);
	free(hists->before);
	free(hists->between);
}
