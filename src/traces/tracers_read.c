// SPDX-License-Identifier: BSD-2-Clause
/* Combines what programs, descriptors, pins and tracefs show. What one of them does not show us becomes a note. */
#include "tracers_part.h"

static void read_all(struct tracers *tracers)
{
	struct err err = {};
	int ret;

	if (traces_read(&tracers->traces, &err))
		tracers_note(tracers, "%s", err.text);
	if (tracers->traces.holders.unreadable)
		tracers_note(tracers, "the descriptors of %zu process%s cannot be read: what they hold is shown without an owner (try sudo)",
			     tracers->traces.holders.unreadable, tracers->traces.holders.unreadable == 1 ? "" : "es");
	ret = programs_read(&tracers->programs, &tracers->traces.holders);
	if (ret)
		tracers_note(tracers, "BPF programs and links cannot be listed: %s%s", strerror(-ret),
			     geteuid() ? " (try sudo)" : "");
	programs_name_targets(&tracers->programs);
}

void tracers_read(struct tracers *tracers)
{
	*tracers = (struct tracers){};
	read_all(tracers);
	tracers_add_programs(tracers);
	tracers_add_perf_events(tracers);
	tracers_add_events(tracers);
}
