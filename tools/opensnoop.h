/* SPDX-License-Identifier: BSD-2-Clause */
/* What opensnoop's program tells; include bpf/event.h first. */
#ifndef SONDE_OPENSNOOP_H
#define SONDE_OPENSNOOP_H

/* The probes by their place in the table. */
enum opensnoop_probe {
	OPENSNOOP_OPENAT,
	OPENSNOOP_OPEN,
	OPENSNOOP_OPENAT2,
	OPENSNOOP_CREAT,
};

struct opensnoop_config {
	unsigned char failed; /* only these */
	unsigned char full_path;
	unsigned char by_flags; /* one of the following must fit */
	unsigned char modes;	/* a bit for each of O_RDONLY, O_WRONLY, O_RDWR */
	unsigned int flags;	/* any of these */
};
_Static_assert(sizeof(struct opensnoop_config) == 8, "as on the other side");

struct opensnoop_event {
	struct event event;
	int ret; /* the new file descriptor, or -errno */
	unsigned int flags;
	unsigned int mode;
	unsigned short path_unread; /* it is not in memory */
	unsigned short dirs_at;	    /* where in data; 0: there are none */
	unsigned int dirs_size;	    /* what a relative path is relative to: names from the inside out, each with a NUL */
	unsigned int dirs_cut;	    /* there are more */
	char data[];		    /* begins with the path as it was passed */
};
_Static_assert(sizeof(struct opensnoop_event) == 64, "as on the other side");

#endif
