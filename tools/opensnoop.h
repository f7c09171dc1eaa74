/* SPDX-License-Identifier: BSD-2-Clause */
/* What opensnoop's program tells; include bpf/event.h first. */
#ifndef SONDE_OPENSNOOP_H
#define SONDE_OPENSNOOP_H

struct opensnoop_config {
	unsigned char failed; /* only these */
	unsigned char full_path;
	unsigned char by_flags; /* one of the following must fit */
	unsigned char modes;	/* a bit for each of O_RDONLY, O_WRONLY, O_RDWR */
	unsigned int flags;	/* any of these */
};

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

#endif
