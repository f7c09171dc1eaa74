/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the tools for interrupts: options, and what they select in a distribution (engines/dist.h). */
#ifndef SONDE_ENGINES_IRQS_H
#define SONDE_ENGINES_IRQS_H

#include "dist.h"

struct irqs_settings {
	bool nsecs, charts, counts;
	bool times; /* the opposite of counts; selects the programs to attach */
};

#define IRQS_OPTIONS \
	OPT(OPT_BOOL, struct irqs_settings, counts, 'C', "count", NULL, "how many, not what time they take"), \
		OPT(OPT_BOOL, struct irqs_settings, charts, 'd', "dist", NULL, "distributions as histograms"), \
		OPT(OPT_BOOL, struct irqs_settings, nsecs, 'N', "nanoseconds", NULL, "in nanoseconds")

#define IRQS_SOURCE \
	.nsecs = SETTING(bool, struct irqs_settings, nsecs), .charts = SETTING(bool, struct irqs_settings, charts), \
	.counts = SETTING(bool, struct irqs_settings, counts)
/* For a probe that is attached if times are measured, or if interrupts are counted. */
#define IRQS_TIMES  SETTING(bool, struct irqs_settings, times)
#define IRQS_COUNTS SETTING(bool, struct irqs_settings, counts)
#define IRQS_LACKS  PROGS_LACKS_TASK("interrupts belong to no process")

/* For configure(). times, counts: what is traced, as progs_source.what. */
int irqs_configure(struct engine_instance *instance, struct progs_source *own, const char *times, const char *counts);

#endif
