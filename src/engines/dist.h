/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The distribution engine (bpf/dist.bpf.h): histograms or totals of values that programs measure, one for all or one
 * for each key (process, disk, ...). A tool says where its programs are attached (progs.h) and what its keys are:
 *
 *	static const struct dist_kind kinds[] = {
 *		{ .name = "pid", .when = IS_SET(pids) },
 *	};
 *	static const struct dist_source source = {
 *		.progs = { PROGS(runqlat), PROGS_PROBES(probes), .what = "run queue latency" },
 *		DIST_KINDS(kinds),
 *		...
 *	};
 *	TOOL(runqlat, DIST_ENGINE(source), .schema = &schema, ...);
 */
#ifndef SONDE_ENGINES_DIST_H
#define SONDE_ENGINES_DIST_H

#include "bpf/dist.h" /* skeletons name these structs */
#include "bpf/pending.h"
#include "bpf/slot.h"
#include "engine/progs.h"
#include "output/hist.h"

/* A kind of key. The program knows a kind by its index in the table. */
struct dist_kind {
	const char *name;				  /* "pid": above charts and in data */
	size_t when;					  /* SETTING(bool, ...): used if it is set; 0: always */
	bool named;					  /* keys are names; otherwise numbers */
	bool labelled;					  /* keys have a label, "comm" */
	void (*describe)(struct str *s, uint64_t number); /* appends text to print instead of the number; may be NULL */
};

struct dist_source {
	struct progs_source progs;
	const struct dist_kind *kinds;
	size_t n_kinds;
	/* Instead of kinds: the keys are always small numbers, with these meanings. */
	const char *const *numbers, *numbers_name;
	size_t n_numbers;
	/* SETTING(bool, ...), or 0: */
	size_t msecs, nsecs;	     /* the unit; otherwise microseconds */
	size_t charts;		     /* histograms; otherwise tables of totals. 0: always histograms */
	size_t counts;		     /* totals are counts, not times */
	const struct schema *totals; /* of tables of totals */
};

/* For TOOL(): this engine, with a struct dist_source. */
#define DIST_ENGINE(SOURCE) .engine = &dist_engine, .source = ENGINE_SOURCE(struct dist_source, SOURCE)
#define DIST_KINDS(table)   .kinds = table, .n_kinds = ARRAY_SIZE(table)

/* Options of tools whose settings have bools msecs, pids, tids, and the kinds of the last two. */
#define DIST_MSECS(STRUCT) OPT(OPT_BOOL, STRUCT, msecs, 'm', "milliseconds", NULL, "in milliseconds")
#define DIST_PIDS(STRUCT)  OPT(OPT_BOOL, STRUCT, pids, 'P', "pids", NULL, "a histogram for each process")
#define DIST_TIDS(STRUCT)  OPT(OPT_BOOL, STRUCT, tids, 'L', "tids", NULL, "a histogram for each thread")
#define DIST_TASK_KINDS(STRUCT) \
	{ .name = "pid", .when = SETTING(bool, STRUCT, pids), .labelled = true }, \
	{ \
		.name = "tid", .when = SETTING(bool, STRUCT, tids), .labelled = true \
	}

/* A row of every schema. */
struct dist_row {
	struct hist_row hist; /* must be first, for HIST_FIELDS */
	bool keyed;
	uint64_t number;
	const char *text; /* printed instead of the number; may be NULL */
	const char *label;
	bool counts;
};

/* Placeholders in a schema for what options decide; an instance replaces them by the kind's name and the title. */
extern const char dist_by[], dist_total_title[];
/* The key, whose name in data is that of its kind; then the common fields of charts, or of tables of totals. */
#define DIST_KEY(TITLE, WIDTH) FIELD_GET(FIELD_STR, dist_get_key, dist_by, TITLE, WIDTH)
#define DIST_COMM	       DATA_GET(FIELD_STR, dist_get_label, "comm", .role = ROLE_TASK)
#define DIST_TOTALS(WIDTH) \
	DATA_GET(FIELD_STR, dist_get_unit, "unit", .role = ROLE_NOTE), \
		DATA_GET(FIELD_U64, hist_get_count, "count", .role = ROLE_COUNTER), \
		DATA_GET(FIELD_U64, dist_get_total, "total", .role = ROLE_COUNTER), \
		METRIC_GET(FIELD_DURATION, hist_get, "histogram", ROLE_SUMMARY), \
		TEXT_GET(FIELD_U64, dist_get_shown, dist_total_title, WIDTH)
/* Schemas of charts: the key, of tasks also its label, and a histogram. */
extern const struct schema dist_charts, dist_task_charts;
void dist_get_key(struct value *to, const void *row, const void *ctx);
void dist_get_label(struct value *to, const void *row, const void *ctx);
void dist_get_unit(struct value *to, const void *row, const void *ctx);
void dist_get_total(struct value *to, const void *row, const void *ctx);
/* What a table of totals shows: counts, or times. */
void dist_get_shown(struct value *to, const void *row, const void *ctx);

extern const struct engine dist_engine;

#endif
