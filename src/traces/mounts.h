/* SPDX-License-Identifier: BSD-2-Clause */
/* For files in traces only: finds the mounts of a type of file system, in our mount namespace. */
#ifndef SONDE_TRACES_MOUNTS_H
#define SONDE_TRACES_MOUNTS_H

#include <sys/types.h>

#include "base/pool.h"

struct mount {
	dev_t dev;
	const char *root; /* the directory of the file system that is mounted, "/" for all of it */
	const char *path; /* the mount point; "" for "/" */
};

struct mounts {
	vec(struct mount);
};

/*
 * Lists the mounts of file systems of this type (such as "bpf"). A directory that is mounted several times is
 * listed once, and not at all if another listed mount contains it. The strings are put into the pool. Initialise
 * mounts with {}.
 */
void mounts_read(struct mounts *mounts, const char *type, struct pool *strings);
void mounts_release(struct mounts *mounts);
/*
 * Opens the mount point. Returns a descriptor that the caller closes; -ENOENT if another file system is mounted
 * over it, or another -errno.
 */
int mount_open(const struct mount *mount);

#endif
