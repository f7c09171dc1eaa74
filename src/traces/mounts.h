/* SPDX-License-Identifier: BSD-2-Clause */
/* Within traces/: where file systems of a type are mounted, in this mount namespace. */
#ifndef SONDE_TRACES_MOUNTS_H
#define SONDE_TRACES_MOUNTS_H

#include <sys/types.h>

#include "base/pool.h"

struct mount {
	dev_t dev;
	const char *root; /* what of the file system is mounted: "/" all of it */
	const char *path; /* where; "" for a root directory */
};

struct mounts {
	struct mount *v;
	size_t n, cap;
};

/* Of each file system one mount of each part of it that no other mount shows as well. Strings are put into the pool. */
void mounts_read(struct mounts *mounts, const char *type, struct pool *strings);
void mounts_release(struct mounts *mounts);
/* Its directory; -ENOENT where something else is mounted above it, or another -errno. */
int mount_open(const struct mount *mount);

#endif
