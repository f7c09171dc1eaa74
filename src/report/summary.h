/* SPDX-License-Identifier: BSD-2-Clause */
/* The sums of a recording as tables. */
#ifndef SONDE_REPORT_SUMMARY_H
#define SONDE_REPORT_SUMMARY_H

#include "output/output.h"
#include "sums.h"

/*
 * Prints tables of threads, calls, requests and kinds of events, the largest first. top: how many of each, 0: all.
 * threads_only: for CSV, which has one heading. Sorts the arrays of sums.
 */
void summary_print(struct sums *sums, const struct recording *r, struct output *out, uint32_t top, bool threads_only);

/* Appends the name of a call, of a function, or of a disk and an operation. */
void summary_add_call(struct str *s, const struct recording *r, int64_t number);
void summary_add_function(struct str *s, const struct recording *r, int64_t number);
void summary_add_disk(struct str *s, const struct recording *r, uint64_t device, uint64_t op);

#endif
