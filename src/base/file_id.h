/* SPDX-License-Identifier: BSD-2-Clause */
/* Which file it is, as the kernel remembers it: its file system, which may be one that never answers, is not asked. */
#ifndef SONDE_FILE_ID_H
#define SONDE_FILE_ID_H

#include <sys/types.h>

#include "base.h"

struct file_id {
	dev_t dev;
	uint64_t inode;
};

/*
 * Of what the path leads to from the directory dir, or with "" of dir itself. Links of /proc/PID lead to their files at once; any
 * other path may be looked up by a file system that waits. 0 or -errno.
 */
int file_id(int dir, const char *path, struct file_id *id);

static inline bool file_id_same(const struct file_id *a, const struct file_id *b)
{
	return a->dev == b->dev && a->inode == b->inode;
}

#endif
