/* SPDX-License-Identifier: BSD-2-Clause */
/* A recording as a timeline: one row for each event, in order. */
#ifndef SONDE_REPORT_TIMELINE_H
#define SONDE_REPORT_TIMELINE_H

#include "output/output.h"
#include "record/recording.h"

/* Prints all events. Stops early if the output has an error. Returns 0 or -errno with recording_error(). */
int timeline_print(struct recording *r, struct output *out);

#endif
