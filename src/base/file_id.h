/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Identifies a file by device and inode. The kernel answers from its own memory: statx() is used with
 * AT_STATX_DONT_SYNC, so that a network or FUSE file system that no longer answers is not asked.
 */
#ifndef SONDE_BASE_FILE_ID_H
#define SONDE_BASE_FILE_ID_H

#include <sys/types.h>

#include "base.h"

struct file_id {
	dev_t dev;
	uint64_t inode;
};

/*
 * Identifies the file that path, relative to the directory descriptor dir, leads to. With the path "" it is dir
 * itself. A link such as /proc/PID/exe or /proc/PID/fd/N leads to its file at once. For any other path the lookup
 * may wait for a file system. Returns 0 or -errno.
 */
int file_id(int dir, const char *path, struct file_id *id);

static inline bool file_id_same(const struct file_id *a, const struct file_id *b)
{
	return a->dev == b->dev && a->inode == b->inode;
}

#endif
