/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tracers as rows of a table: which tracers share a row, the cost of BPF programs between two looks, and the
 * columns.
 */
#ifndef SONDE_TRACES_TRACER_ROWS_H
#define SONDE_TRACES_TRACER_ROWS_H

#include "output/output.h"
#include "tracers.h"

struct tracer_row {
	struct tracer tracer; /* its lists belong to struct tracers */
	size_t n;	      /* tracers that this row stands for */
	size_t at;	      /* its place before the rows are sorted */
	bool has_cost;
	double runs, cpu; /* with has_cost: runs per second, per cent of one processor */
};

/* Initialise with {}. */
struct tracer_rows {
	vec(struct tracer_row);
	/* which optional columns there are, for engine_choose_columns(): some machines, or some runs, have no values for them */
	struct tracer_columns {
		bool hits, missed, cost;
	} columns;
};

/* The previous look, to compute differences. Initialise with TRACER_LOOK_NONE. */
struct tracer_look {
	struct programs programs;
	uint64_t at_ns; /* clock_monotonic_ns() */
	int stats;	/* while this descriptor is open the kernel counts the runs of programs; -1: it does not */
};
#define TRACER_LOOK_NONE \
	{ \
		.stats = -1 \
	}

/*
 * Makes the kernel count runs of BPF programs until the look is released or we exit. Returns 0, or -errno with
 * err.
 */
int tracer_look_begin(struct tracer_look *look, struct err *err);
/* Moves the programs that were read out of tracers into look. */
void tracer_look_keep(struct tracer_look *look, struct tracers *tracers);
void tracer_look_release(struct tracer_look *look);

/*
 * Makes rows of all tracers, and decides which columns their table has. fold: dynamic events of one owner and group become
 * one row. If the kernel counts runs, rows of programs get what they cost since `before`, and the most expensive come first.
 * The rows are valid as long as the tracers.
 */
void tracer_rows_make(struct tracer_rows *rows, const struct tracers *tracers, const struct tracer_look *before, bool fold);
void tracer_rows_release(struct tracer_rows *rows);

extern const struct schema tracer_rows_schema;

#endif
