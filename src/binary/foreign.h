/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The one way to open a file that a user, a traced program or a container has named. Such a name may lead out of the
 * container, to a device whose mere opening does something, to a FIFO that never answers, or to a file without end.
 */
#ifndef SONDE_FOREIGN_H
#define SONDE_FOREIGN_H

#include "base/base.h"

/*
 * How all of these take a path. root NULL: as open(2) does; for what the user typed and for the links in /proc/PID
 * that are ours to follow. Else, "/" too: a directory below which the path begins and stays (openat2(2) with
 * RESOLVE_IN_ROOT), where no link of /proc is followed (RESOLVE_NO_MAGICLINKS).
 */

/* A descriptor of whatever is there (O_PATH), which is looked at and not opened; or -errno. */
int foreign_locate(const char *root, const char *path);
/* A directory, to read its entries; or -errno. */
int foreign_open_dir(const char *root, const char *path);
/*
 * A regular file of at most max bytes, to be read; *size is what it has now. Never waits for a writer, never becomes
 * our terminal. -ENOEXEC: a directory, a device, a FIFO, a socket. -EFBIG: larger. Else open(2)'s errors. err names
 * the path.
 */
int foreign_open(const char *root, const char *path, uint64_t max, uint64_t *size, struct err *err);
/* root and path as one, as it is shown. Caller frees. */
char *foreign_join(const char *root, const char *path);

/* "8.0 TB", "512 MB": of 1,024 each. */
struct foreign_size {
	char text[16];
};
struct foreign_size foreign_show_size(uint64_t bytes);

#endif
