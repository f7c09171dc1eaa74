/* SPDX-License-Identifier: BSD-2-Clause */
/* /proc/PID/maps, one mapping after the other. Knows no libraries and no symbols. */
#ifndef SONDE_MAPS_H
#define SONDE_MAPS_H

#include <sys/types.h>

#include "base/base.h"

struct mapping {
	uint64_t start, end; /* addresses in the process */
	uint64_t offset;     /* in the file */
	uint64_t inode;	     /* 0: no file */
	dev_t dev;	     /* as the kernel shows it: not stat's on overlayfs and btrfs */
	bool exec;
	const char *path; /* "" without one; "[vdso]"; may end in " (deleted)"; valid in the call */
};

/* fn's non-zero return ends it and is returned. */
typedef int (*mapping_fn)(const struct mapping *m, void *ctx);

/* pid 0: ourselves. -ESRCH: no such process; -EACCES: not ours to read. */
int maps_each(pid_t pid, mapping_fn fn, void *ctx);

#endif
