/* SPDX-License-Identifier: BSD-2-Clause */
/* For tracer_rows.c and tracer_columns.c only. */
#ifndef SONDE_TRACES_TRACER_COLUMNS_H
#define SONDE_TRACES_TRACER_COLUMNS_H

#include "tracer_rows.h"

/* Which optional columns the next table has: some machines, or some runs, have no values for them. */
extern struct tracer_columns {
	bool hits, missed, cost;
} tracer_columns;

#endif
