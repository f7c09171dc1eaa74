/* SPDX-License-Identifier: BSD-2-Clause */
/* What exitsnoop's program tells; include bpf/event.h first. */
#ifndef SONDE_EXITSNOOP_H
#define SONDE_EXITSNOOP_H

struct exitsnoop_config {
	unsigned char per_thread; /* each thread's end, not only the process's */
	unsigned char failed;	  /* only what ended otherwise than with 0 */
};
_Static_assert(sizeof(struct exitsnoop_config) == 2, "as on the other side");

/* comm and tid are the thread's; where it is about a process, those of its first thread. */
struct exitsnoop_event {
	struct event event;
	unsigned long long age; /* ns since it began */
	unsigned int code;	/* as wait(2) has it */
};
_Static_assert(sizeof(struct exitsnoop_event) == 56, "as on the other side");

#endif
