/* SPDX-License-Identifier: BSD-2-Clause */
/* The record of killsnoop's program, and what else both sides share. Include bpf/event.h and bpf/signal.h first. */
#ifndef SONDE_TOOLS_KILLSNOOP_H
#define SONDE_TOOLS_KILLSNOOP_H

/* Indices in the table of probes: one for each system call. */
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
	struct signal_set signals;
	unsigned int target;  /* only this process or thread, 0: all */
	unsigned char failed; /* only calls that failed */
};
_Static_assert(sizeof(struct killsnoop_config) == 24, "as on the other side");

struct killsnoop_event {
	struct event event;
	int signal, ret;
	int target;		    /* as the caller named it; the thread, if the call names a thread and its process */
	int tgid;		    /* the process, if the call names both */
	unsigned char call;	    /* enum killsnoop_call */
	unsigned char target_known; /* 0 if the file descriptor stands for no process */
};
_Static_assert(sizeof(struct killsnoop_event) == 64, "as on the other side");

#endif
