/* SPDX-License-Identifier: BSD-2-Clause */
/* What execsnoop's program tells; include bpf/event.h first. */
#ifndef SONDE_EXECSNOOP_H
#define SONDE_EXECSNOOP_H

/* The probes by their place in the table. */
enum execsnoop_probe {
	EXECSNOOP_EXEC,
	EXECSNOOP_EXECVE,
	EXECSNOOP_EXECVEAT,
};

struct execsnoop_config {
	unsigned int ppid;	   /* only children of this process, 0 all */
	unsigned int reader_pidns; /* whose numbers ppid is in, 0 the host's */
};
_Static_assert(sizeof(struct execsnoop_config) == 8, "as on the other side");

struct execsnoop_event {
	struct event event;
	int ret;		 /* 0 or -errno */
	unsigned int args_total; /* bytes that all arguments have, as far as known */
	unsigned int args_size;	 /* of those, how many are here */
	unsigned int args_at;	 /* where in data: each argument ends with a NUL */
	char data[];		 /* begins with the name of what was executed */
};
_Static_assert(sizeof(struct execsnoop_event) == 56, "as on the other side");

#endif
