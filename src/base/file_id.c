// SPDX-License-Identifier: BSD-2-Clause
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "file_id.h"

int file_id(int dir, const char *path, struct file_id *id)
{
	struct statx stx;

	if (statx(dir, path, AT_STATX_DONT_SYNC | (*path ? 0 : AT_EMPTY_PATH), STATX_INO, &stx))
		return -errno;
	id->dev = makedev(stx.stx_dev_major, stx.stx_dev_minor);
	id->inode = stx.stx_ino;
	return 0;
}
