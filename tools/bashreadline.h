/* SPDX-License-Identifier: BSD-2-Clause */
/* What bashreadline's program tells; include bpf/event.h first. */
#ifndef SONDE_BASHREADLINE_H
#define SONDE_BASHREADLINE_H

struct bashreadline_event {
	struct event event;
	unsigned short cut;    /* there is more of the line */
	unsigned short unread; /* it is not in memory */
	char line[];	       /* without its newline */
};
_Static_assert(sizeof(struct bashreadline_event) == 48, "as on the other side");

#endif
