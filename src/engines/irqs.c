// SPDX-License-Identifier: BSD-2-Clause
/* Either counts interrupts or measures their time. */
#include "irqs.h"

int irqs_configure(struct irqs_settings *settings, struct dist_source *source, const char *times,
		   const char *counts)
{
	settings->times = !settings->counts;
	source->progs.what = settings->counts ? counts : times;
	return 0;
}
