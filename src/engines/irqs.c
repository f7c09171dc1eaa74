// SPDX-License-Identifier: BSD-2-Clause
/* Either counts interrupts or measures their time. */
#include "irqs.h"

int irqs_configure(struct engine_instance *instance, struct progs_source *own, const char *times, const char *counts)
{
	struct irqs_settings *settings = instance->tool_settings;

	settings->times = !settings->counts;
	own->what = settings->counts ? counts : times;
	return 0;
}
