/* SPDX-License-Identifier: BSD-2-Clause */
/* The record of opensnoop's program, and what else both sides share. Include bpf/{event,open_flags,path}.h first. */
#ifndef SONDE_TOOLS_OPENSNOOP_H
#define SONDE_TOOLS_OPENSNOOP_H

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
	struct open_flags wanted;
};
_Static_assert(sizeof(struct opensnoop_config) == 12, "as on the other side");

struct opensnoop_event {
	struct event event;
	int ret; /* the new file descriptor, or -errno */
	unsigned int flags;
	unsigned int mode;
	struct path_record path; /* as it was passed */
};
_Static_assert(sizeof(struct opensnoop_event) == 64, "as on the other side");

#endif
