/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Within attach/: the switches by which root turns probes off for the whole kernel. What is attached stays attached
 * meanwhile, the kernel reports no error, and nothing is hit.
 */
#ifndef SONDE_SWITCHES_H
#define SONDE_SWITCHES_H

#include "probe/target.h"

/* Each is looked at when it is first asked for, and then remembered: begin with {} for a new look. */
struct switches {
	bool looked_at_ftrace, looked_at_kprobes;
	const char *ftrace, *kprobes; /* why it is off, NULL: on, or nobody can tell */
};

/* Why a target that is attached by this mechanism is hit by nothing now, and what turns that on; NULL: it is hit. */
const char *switches_off(struct switches *switches, enum mech mech, const struct target *target);

#endif
