// SPDX-License-Identifier: BSD-2-Clause
/* Interrupts are counted, or their time is measured: one or the other. */
#include "irqs.h"

int irqs_configure(struct irqs_settings *settings, struct dist_source *source, const char *times,
		   const char *counts)
{
	settings->times = !settings->counts;
	source->progs.what = settings->counts ? counts : times;
	return 0;
}
