/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The only way to open a file whose name comes from a user, a traced program or a container. Such a name may lead
 * out of the container, to a device that acts when it is opened, to a FIFO that blocks, or to an endless file.
 */
#ifndef SONDE_BINARY_FOREIGN_H
#define SONDE_BINARY_FOREIGN_H

#include "base/base.h"

/*
 * How all functions here take root and path. root NULL: path is resolved as by open(2); for paths that the user
 * typed, and for links in /proc/PID that sonde chose. Else root is a directory, possibly "/": path is resolved
 * inside it and cannot leave it (openat2(2) with RESOLVE_IN_ROOT), and links of /proc are not followed
 * (RESOLVE_NO_MAGICLINKS).
 */

/* An O_PATH descriptor of what is there, of any type, for fstat(2); or -errno. The caller closes it. */
int foreign_locate(const char *root, const char *path);
/* A descriptor of a directory, to read its entries; or -errno. The caller closes it. */
int foreign_open_dir(const char *root, const char *path);
/*
 * A descriptor of a regular file, to read it; the caller closes it. *size: its size now, in bytes. Does not block.
 * -EFBIG: it has more than max bytes. -ENOEXEC: a directory, device, FIFO or socket. Else the errors of open(2).
 * err names the path.
 */
int foreign_open(const char *root, const char *path, uint64_t max, uint64_t *size, struct err *err);
/* root and path joined, to show to the user. The caller frees it. */
char *foreign_join(const char *root, const char *path);

/* A size for the user, in units of 1,024: "8.0 TB", "512 MB". */
struct foreign_size {
	char text[16];
};
struct foreign_size foreign_show_size(uint64_t bytes);

#endif
