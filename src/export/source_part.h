/* SPDX-License-Identifier: BSD-2-Clause */
/* Within source*.c: what a source is. source.c opens and closes it, source_read.c reads its totals. */
#ifndef SONDE_EXPORT_SOURCE_PART_H
#define SONDE_EXPORT_SOURCE_PART_H

#include "base/set.h"
#include "kept.h"
#include "metrics/metrics_rows.h"
#include "run/run.h"
#include "source.h"

struct source {
	struct config_line line;
	const struct tool *tool;
	char *name, *label, *title; /* title: in front of messages */
	struct opt_list words;	    /* as opt_parse() has sorted them; the texts are the line's */
	size_t tool_word;	    /* the tool's word in the line: "sonde" may stand before it */

	struct run_options options;
	struct opt_list args;
	struct engine_context ctx;
	struct engine_metrics metrics;
	struct engine_instance instance;
	bool prepared; /* the options are parsed */
	bool up;
	char *why;	    /* it is down; NULL: it was not opened yet, or is up */
	uint64_t began;	    /* wall clock, ns */
	uint64_t gap_ns;    /* of pauses that have ended */
	uint64_t paused_ns; /* when the one that goes on began, 0: there is none */
	uint64_t deadline;  /* see source_deadline() */
	int read_error;	    /* of source_collect(): the last one, which was reported */
	int missed_error;   /* of source_missed(): the same */
	int task;	    /* the directory in /proc of what -p or -t names; -1: they name nothing */
	struct source_table {
		struct metrics_rows rows;
		char *base;	 /* of its families' names */
		struct set keys; /* labels of the rows that were seen first */
	} * tables;
	size_t n_tables;
	struct kept kept;
};

/*
 * Before a call of the engine: messages name the line. Returns the name until then, which report_set_name() gets after
 * the call.
 */
const char *source_enter(const struct source *source);

/* Whether what -p or -t named when the line was opened is still there, not another task with the same number. */
bool source_has_task(const struct source *source);
/* How many keys have rows of their own, in all tables. */
uint32_t source_count_keys(const struct source *source);
/* If there is a pause, it ends now. */
void source_end_pause(struct source *source);
/* Stores what the next process needs to go on: see kept.h. */
void source_keep(struct source *source);

#endif
