/* SPDX-License-Identifier: BSD-2-Clause */
/* Within engines/: the state of the distribution engine, which dist*.c share. */
#ifndef SONDE_ENGINES_DIST_PART_H
#define SONDE_ENGINES_DIST_PART_H

#include "dist.h"
#include "engine/hists.h"
#include "engine/progs_life.h"
#include "keys.h"

struct dist {
	struct engine_instance *instance;
	const struct dist_source *source;
	const struct dist_kind *kind; /* NULL: none */
	const char *by;		      /* the name of the keys, also in data */
	char total_title[16];
	struct progs progs;
	struct hists hists;
	struct keys keys;
	bool charts, counts;
	bool knows_missed;
};

/* A row to print. */
struct dist_shown {
	const union dist_key *key; /* NULL: it has only a number */
	uint64_t number;
	const char *label;
	const uint64_t *cells;
	uint64_t count, value;
};

/* In dist_rows.c: a row of a histogram by number, or by key. The cells stay the caller's. */
struct dist_shown dist_shown_number(const struct dist *dist, uint64_t number, const uint64_t *cells);
struct dist_shown dist_shown_key(const struct dist *dist, const union dist_key *key, const char *label,
				 const uint64_t *cells);
/* The same file: passes it to fn as a struct dist_row. first: the first row of its table. */
void dist_hand_on(const struct dist *dist, const struct dist_shown *shown, bool first, engine_row_fn fn, void *ctx);
/* The same file: one of the counters of the programs. */
uint64_t dist_word(const struct dist *dist, enum dist_loss which);

/* In dist_export.c: for struct engine. */
int dist_snapshot(struct engine_instance *instance, engine_row_fn fn, void *ctx);
void dist_stats(struct engine_instance *instance, struct engine_stats *stats);
struct attach *dist_attachment(const struct engine_instance *instance, size_t n);

#endif
