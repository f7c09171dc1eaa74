/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the tools for interrupts: options, and what they select in a distribution (engines/dist.h). */
#ifndef SONDE_ENGINES_IRQS_H
#define SONDE_ENGINES_IRQS_H

#include "dist.h"

struct irqs_settings {
	bool nsecs, charts, counts;
	bool times; /* the opposite of counts; selects the programs to attach */
};

#define IRQS_OPTIONS(STRUCT) \
	OPT(OPT_BOOL, STRUCT, counts, 'C', "count", NULL, "how many, not what time they take"), \
		OPT(OPT_BOOL, STRUCT, charts, 'd', "dist", NULL, "distributions as histograms"), \
		OPT(OPT_BOOL, STRUCT, nsecs, 'N', "nanoseconds", NULL, "in nanoseconds")

#define IRQS_SOURCE(SETTINGS) \
	.nsecs = &(SETTINGS).nsecs, .charts = &(SETTINGS).charts, .counts = &(SETTINGS).counts
#define IRQS_LACKS PROGS_LACKS_TASK("interrupts belong to no process")

/* times, counts: what is traced, as event_source.what. */
int irqs_configure(struct irqs_settings *settings, struct dist_source *source, const char *times,
		   const char *counts);

#endif
