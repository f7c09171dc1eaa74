/* SPDX-License-Identifier: BSD-2-Clause */
/* The record of exitsnoop's program, and what else both sides share. Include bpf/event.h first. */
#ifndef SONDE_TOOLS_EXITSNOOP_H
#define SONDE_TOOLS_EXITSNOOP_H

struct exitsnoop_config {
	unsigned char per_thread; /* an event for each thread, not only for the process */
	unsigned char failed;	  /* only if the exit code is not 0, or a signal killed it */
};
_Static_assert(sizeof(struct exitsnoop_config) == 2, "as on the other side");

/* comm and tid are those of the thread, or of the first thread if the event is about a process. */
struct exitsnoop_event {
	struct event event;
	unsigned long long age; /* ns since its start */
	unsigned int code;	/* as in wait(2) */
};
_Static_assert(sizeof(struct exitsnoop_event) == 56, "as on the other side");

#endif
