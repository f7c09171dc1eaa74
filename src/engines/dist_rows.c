// SPDX-License-Identifier: BSD-2-Clause
/* Histograms by number and by key as rows: their titles, labels and totals. */
#include "dist_part.h"

struct dist_shown dist_shown_number(const struct dist *dist, uint64_t number, const uint64_t *cells)
{
	uint64_t count = hist_count(&dist->hists.hist, cells);

	return (struct dist_shown){
		.number = number,
		.cells = cells,
		.count = count,
		.value = dist->counts ? count : cells[HIST_SUM],
	};
}

struct dist_shown dist_shown_key(const struct dist *dist, const union dist_key *key, const char *label,
				 const uint64_t *cells)
{
	struct dist_shown shown = dist_shown_number(dist, key->number, cells);

	shown.key = dist->kind->named ? key : NULL;
	shown.label = dist->kind->labelled ? label : NULL;
	return shown;
}

/* Returns the text of a key that is not printed as a number. */
static bool add_text(struct str *s, const struct dist *dist, const struct dist_shown *shown)
{
	if (shown->key)
		str_addn(s, shown->key->name, strnlen(shown->key->name, DIST_NAME_LEN));
	else if (dist->source->n_numbers)
		str_add(s, dist->source->numbers[shown->number]);
	else if (dist->kind && dist->kind->describe)
		dist->kind->describe(s, shown->number);
	else
		return false;
	return true;
}

/* The label above a chart, after "pid = ". */
static void add_title(struct str *s, const struct dist_row *row)
{
	if (row->text)
		str_add(s, row->text);
	else
		str_add_u64(s, row->number);
	if (row->label)
		str_addf(s, " %s", row->label);
}

void dist_hand_on(const struct dist *dist, const struct dist_shown *shown, bool first, engine_row_fn fn, void *ctx)
{
	__str struct str text = {}, title = {};
	bool has_text = add_text(&text, dist, shown);
	struct dist_row row = {
		.hist = { .hist = &dist->hists.hist, .cells = shown->cells, .title = dist->by, .first = first },
		.keyed = dist->kind || dist->source->n_numbers,
		.number = shown->number,
		.text = has_text ? text.data : NULL,
		.label = shown->label,
		.counts = dist->counts,
	};

	add_title(&title, &row);
	row.hist.key = row.keyed ? title.data : NULL;
	fn(&row, ctx);
}

uint64_t dist_word(const struct dist *dist, enum dist_loss which)
{
	return object_word(&dist->progs.object, ".data.dist", which);
}
