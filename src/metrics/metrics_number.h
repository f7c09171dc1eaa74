/* SPDX-License-Identifier: BSD-2-Clause */
/* Within metrics/: numbers as texts that read back as the same number. */
#ifndef SONDE_METRICS_METRICS_NUMBER_H
#define SONDE_METRICS_METRICS_NUMBER_H

#include "metrics.h"

/* Appends an integer, an exact decimal fraction, or the shortest text of a double; NaN, +Inf, -Inf. */
void metrics_number_add(struct str *s, struct metrics_number number);
/* Appends a double as labels `le` have it, in all formats alike: "1.0", not "1". */
void metrics_number_add_le(struct str *s, double value);
double metrics_number_real(struct metrics_number number);

#endif
