/* SPDX-License-Identifier: BSD-2-Clause */
/* The record of execsnoop's program, and what else both sides share. Include bpf/args.h and bpf/event.h first. */
#ifndef SONDE_TOOLS_EXECSNOOP_H
#define SONDE_TOOLS_EXECSNOOP_H

/* Indices in the table of probes. */
enum execsnoop_probe {
	EXECSNOOP_EXEC,
	EXECSNOOP_EXECVE,
	EXECSNOOP_EXECVEAT,
};

struct execsnoop_config {
	unsigned int ppid;	   /* only children of this process, 0: all */
	unsigned int reader_pidns; /* the pid namespace of ppid, 0: the host's */
};
_Static_assert(sizeof(struct execsnoop_config) == 8, "as on the other side");

struct execsnoop_event {
	struct event event;
	int ret; /* 0 or -errno */
	struct args_record args;
	char data[]; /* begins with the name that was executed */
};
_Static_assert(sizeof(struct execsnoop_event) == 56, "as on the other side");

#endif
