// SPDX-License-Identifier: BSD-2-Clause
/* Interrupts are counted, or their time is measured: one or the other. */
#include "irqs.h"

int irqs_configure(struct irqs_settings *settings, struct dist_source *source, const char *name)
{
	static char what[64];

	settings->times = !settings->counts;
	snprintf(what, sizeof(what), "%s event%s", name, settings->counts ? "s" : " time");
	source->events.what = what;
	return 0;
}
