/* SPDX-License-Identifier: BSD-2-Clause */
/* The record of opensnoop's program, and what else both sides share. Include bpf/event.h first. */
#ifndef SONDE_OPENSNOOP_H
#define SONDE_OPENSNOOP_H

/* Indices in the table of probes. */
enum opensnoop_probe {
	OPENSNOOP_OPENAT,
	OPENSNOOP_OPEN,
	OPENSNOOP_OPENAT2,
	OPENSNOOP_CREAT,
};

struct opensnoop_config {
	unsigned char failed; /* only opens that failed */
	unsigned char full_path;
	unsigned char by_flags; /* one of the following must match */
	unsigned char modes;	/* a bit for each of O_RDONLY, O_WRONLY, O_RDWR */
	unsigned int flags;	/* any of these */
};
_Static_assert(sizeof(struct opensnoop_config) == 8, "as on the other side");

struct opensnoop_event {
	struct event event;
	int ret; /* the new file descriptor, or -errno */
	unsigned int flags;
	unsigned int mode;
	unsigned short path_unread; /* the path was not in memory */
	unsigned short dirs_at;	    /* their offset in data; 0: there are none */
	unsigned int dirs_size;	    /* of a relative path: its directories from the innermost out, each with a NUL */
	unsigned int dirs_cut;	    /* there are more directories */
	char data[];		    /* begins with the path as it was passed */
};
_Static_assert(sizeof(struct opensnoop_event) == 64, "as on the other side");

#endif
