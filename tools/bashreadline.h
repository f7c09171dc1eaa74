/* SPDX-License-Identifier: BSD-2-Clause */
/* The record of bashreadline's program. Include bpf/event.h first. */
#ifndef SONDE_TOOLS_BASHREADLINE_H
#define SONDE_TOOLS_BASHREADLINE_H

struct bashreadline_event {
	struct event event;
	unsigned short cut;    /* the line is longer */
	unsigned short unread; /* the line was not in memory */
	char line[];	       /* without its newline */
};
_Static_assert(sizeof(struct bashreadline_event) == 48, "as on the other side");

#endif
