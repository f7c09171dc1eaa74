/* SPDX-License-Identifier: BSD-2-Clause */
/* Within tracer_rows*.c only. */
#ifndef SONDE_TRACES_TRACER_COLUMNS_H
#define SONDE_TRACES_TRACER_COLUMNS_H

#include "tracer_rows.h"

/* Columns that only some machines, or some runs, have something for. */
extern struct tracer_columns {
	bool hits, missed, cost;
} tracer_columns;

#endif
