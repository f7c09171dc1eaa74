/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Within attach/: the switches by which root disables probes for the whole kernel. Probes stay attached then, the
 * kernel reports no error, and no probe is hit.
 */
#ifndef SONDE_ATTACH_SWITCHES_H
#define SONDE_ATTACH_SWITCHES_H

#include "probe/target.h"

/* A switch is read when it is first needed, and then remembered. Start with {} to read again. */
struct switches {
	bool looked_at_ftrace, looked_at_kprobes;
	const char *ftrace, *kprobes; /* why it is off; NULL: it is on, or unknown */
};

/* Returns why a target attached by this mechanism is not hit now, and how to switch it on; NULL: it is hit. */
const char *switches_off(struct switches *switches, enum mech mech, const struct target *target);

#endif
