/* SPDX-License-Identifier: BSD-2-Clause */
/* What killsnoop's program tells; include bpf/event.h first. */
#ifndef SONDE_KILLSNOOP_H
#define SONDE_KILLSNOOP_H

/* The probes by their place in the table, and so the system calls. */
enum killsnoop_call {
	KILLSNOOP_KILL,
	KILLSNOOP_TKILL,
	KILLSNOOP_TGKILL,
	KILLSNOOP_SIGQUEUE,
	KILLSNOOP_TGSIGQUEUE,
	KILLSNOOP_PIDFD,
	KILLSNOOP_CALLS,
};

struct killsnoop_config {
	unsigned long long signals; /* bit N - 1: signal N */
	unsigned int target;	    /* only this process or thread, 0 all */
	unsigned char by_signal;    /* only signals of the set, and 0 where zero is set */
	unsigned char zero;
	unsigned char failed; /* only calls that failed */
};
_Static_assert(sizeof(struct killsnoop_config) == 16, "as on the other side");

struct killsnoop_event {
	struct event event;
	int signal, ret;
	int target;		    /* as the caller named it; of a thread and its process the thread */
	int tgid;		    /* the process, of calls that name both */
	unsigned char call;	    /* enum killsnoop_call */
	unsigned char target_known; /* not where a file descriptor stands for no process */
};
_Static_assert(sizeof(struct killsnoop_event) == 64, "as on the other side");

#endif
