// SPDX-License-Identifier: BSD-2-Clause
/* Histograms in maps, to rows: cells of all processors are added up, and what a table has shown is not in the next one. */
#include "hists.h"

int hists_init(struct hists *hists, const struct hists_settings *settings, struct err *err)
{
	if (settings->usecs && settings->msecs)
		return err_set(err, -EINVAL, "microseconds or milliseconds, not both");
	if (settings->linear && settings->precise)
		return err_set(err, -EINVAL, "--linear and --precise are two kinds of histograms: one of them");
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
	hists->words = hist_words(&hists->hist);
	return 0;
}

int hists_size(struct hists *hists, struct object *object, size_t n, bool all_in_one,
	       struct attach_options *options, struct attach_mark *marks, struct err *err)
{
	hists->n = all_in_one ? 1 : n;
	/* whole cache lines keep processors apart */
	hists->stride = (hists->n * hists->words + 7) / 8 * 8;
	options->row_size = hists->stride * sizeof(uint64_t);
	hists->n_processors = options->rows = attach_rows(options->row_size);
	options->shared = options->shared || (all_in_one && n > 1);
	marks[0] = (struct attach_mark){ HIST_MARK_KIND, hists->hist.kind };
	marks[1] = (struct attach_mark){ HIST_MARK_UNIT, hists->hist.divisor };
	marks[2] = (struct attach_mark){ HIST_MARK_STEP, hists->hist.step };
	marks[3] = (struct attach_mark){ HIST_MARK_STRIDE, all_in_one ? 0 : hists->words * sizeof(uint64_t) };
	return object_size_value(object, ".data.hist", hists_memory(hists), err);
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
	return hists->n_processors * hists->stride * sizeof(uint64_t);
}

/* What a row of cells holds now, of all processors; and of that what is new, which the next table does without. */
const uint64_t *hists_take(struct hists *hists, size_t number)
{
	uint64_t *before = hists->before + number * hists->words, *between = hists->between + number * hists->words;
	size_t bytes = hists->words * sizeof(*before);

	memset(hists->now, 0, bytes);
	for (size_t i = 0; i < hists->n_processors; i++)
		hist_merge(&hists->hist, hists->now, hists->cells + i * hists->stride + number * hists->words);
	hist_difference(&hists->hist, between, hists->now, before);
	memcpy(before, hists->now, bytes);
	return between;
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

void hists_emit(struct hists *hists, struct engine_instance *instance, const char *title, const struct target_set *set)
{
	struct hist_row row = { .hist = &hists->hist, .title = title, .first = true };

	take_all(hists, !set);
	engine_table_begin(instance);
	for (size_t i = 0; i < (set ? hists->n : 1); i++) {
		row.key = set ? set->slots[i] : NULL;
		row.symbol = set ? set->symbols[i] : NULL;
		row.cells = hists->between + i * hists->words;
		if (!hist_count(&hists->hist, row.cells))
			continue;
		output_row(instance->ctx->out, &row);
		row.first = false;
	}
	output_table_end(instance->ctx->out);
}

void hists_release(struct hists *hists)
{
	free(hists->now);
	free(hists->before);
	free(hists->between);
}
