/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records in the ring buffer: how each begins, and how both sides agree on waking the reader. Shared by both sides.
 */
#ifndef SONDE_BPF_EVENT_H
#define SONDE_BPF_EVENT_H

#define EVENT_COMM_LEN 16

/*
 * The first member of the struct of every tool. Ids are those of the host or, with --pidns, of the reader's pid
 * namespace.
 */
struct event {
	unsigned long long time; /* ns since boot, suspended time included */
	unsigned int pid, tid;	 /* process and thread that caused the event */
	unsigned int ppid;	 /* its parent now; 0: not visible in the namespace */
	unsigned int uid;
	char comm[EVENT_COMM_LEN];
};
_Static_assert(sizeof(struct event) == 40, "as on the other side");

/*
 * The state of the reader, which it writes into memory that both sides map. An awake reader reads again within a
 * few milliseconds by itself, and is woken only if the buffer fills faster. A sleeping reader is woken by the first
 * event.
 */
struct event_reader {
	unsigned long long wake_at; /* wake when the buffer holds so many bytes; reset by the program that wakes */
	unsigned int awake;
};
_Static_assert(sizeof(struct event_reader) == 16, "as on the other side");

/* Why an event was dropped: the keys of event_drops. */
enum event_loss {
	EVENT_LOSS_BUFFER, /* no room in the buffer */
	EVENT_LOSS_OWN,	   /* a reason of the tool, which the tool describes */
	EVENT_LOSSES,
};

/* Set by user space before the load. */
struct event_setup {
	unsigned int pidns_ino; /* not 0: give ids of this pid namespace, and only events of tasks that it sees */
	unsigned int reader;	/* not 0: process id of the reader on the host, whose events are left out */
};
_Static_assert(sizeof(struct event_setup) == 8, "as on the other side");

#endif
