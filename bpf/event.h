/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What streams from the kernel through the ring buffer. Shared by both sides: the begin of every
 * record, and how the two sides agree on when the reader is woken.
 */
#ifndef SONDE_EVENT_H
#define SONDE_EVENT_H

#define EVENT_COMM_LEN 16

/* The first member of every tool's own struct. Ids are the host's, or with --pidns those of the reader's pid namespace. */
struct event {
	unsigned long long time; /* ns since boot, time asleep included */
	unsigned int pid, tid;	 /* of the task that did it: process, thread */
	unsigned int ppid;	 /* its parent now, 0 where the namespace has none */
	unsigned int uid;
	char comm[EVENT_COMM_LEN];
};

/*
 * Written by the reader, in memory that both map. While it is awake it comes by itself in a few milliseconds and is
 * woken only where the buffer fills faster than that; while it sleeps, the first event wakes it.
 */
struct event_reader {
	unsigned long long wake_at; /* bytes in the buffer; taken away by who wakes */
	unsigned int awake;
};

/* Why there is no row of something: the keys of event_drops. */
enum event_loss {
	EVENT_LOSS_BUFFER, /* no room in the buffer */
	EVENT_LOSS_OWN,	   /* the tool's own reason, which its source has words for */
	EVENT_LOSSES,
};

/* Fixed before the load. */
struct event_setup {
	unsigned int pidns_ino; /* not 0: numbers of this pid namespace, and only what it sees */
	unsigned int reader;	/* not 0: the reader's own process as the host numbers it, whose events are left out */
};

#endif
