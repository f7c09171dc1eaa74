/* SPDX-License-Identifier: BSD-2-Clause */
/* The record of profile's program, for both sides. Include bpf/event.h first. */
#ifndef SONDE_TOOLS_PROFILE_H
#define SONDE_TOOLS_PROFILE_H

struct profile_event {
	struct event event;
	unsigned long long stack; /* its id; 0: lost */
	unsigned int cpu, unused;
};
_Static_assert(sizeof(struct profile_event) == 56, "as on the other side");

#endif
