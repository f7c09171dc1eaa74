/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes verdicts and their results as JSON. */
#ifndef SONDE_TRACES_ROWS_H
#define SONDE_TRACES_ROWS_H

#include "output/output.h"
#include "verdicts.h"

extern const struct schema traces_schema;

/* Writes one row for each item that is set, with the fields of traces_schema. */
void traces_print_rows(struct output *out, const struct traces *traces, const struct trace_verdicts *verdicts);

#endif
