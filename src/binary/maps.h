/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads /proc/PID/maps. Knows no libraries and no symbols. */
#ifndef SONDE_BINARY_MAPS_H
#define SONDE_BINARY_MAPS_H

#include <sys/types.h>

#include "base/base.h"

struct mapping {
	uint64_t start, end; /* addresses in the process */
	uint64_t offset;     /* of start, in the file */
	uint64_t inode;	     /* 0: no file */
	dev_t dev;	     /* as the kernel shows it: on overlayfs and btrfs not that of stat(2) */
	bool exec;
	const char *path; /* of the file; "" or a name such as "[vdso]" if there is none; may end in " (deleted)" */
};

/* Called for a mapping, which is valid during the call. A non-zero return ends the walk. */
typedef int (*mapping_fn)(const struct mapping *m, void *ctx);

/*
 * Calls fn for each mapping of a process in ascending order; pid 0: our own. Returns what fn returned, if not 0.
 * -ESRCH: no such process. -EACCES: we may not read it. Lines that cannot be parsed are skipped.
 */
int maps_each(pid_t pid, mapping_fn fn, void *ctx);

#endif
