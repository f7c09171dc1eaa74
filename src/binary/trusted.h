/* SPDX-License-Identifier: BSD-2-Clause */
/* Decides which files belong to the system that sonde runs on and are trusted like its kernel and shell. */
#ifndef SONDE_BINARY_TRUSTED_H
#define SONDE_BINARY_TRUSTED_H

#include <limits.h>
#include <stdbool.h>

/*
 * path: the path of an open regular file, without links. True: only root can change the file or where the path
 * leads.
 */
bool trusted_path(int fd, char path[PATH_MAX]);

/*
 * Whether an open file is a program or library of this system: it is in our mount namespace below /usr, /lib or
 * /lib64, and only root can write to it and to each directory above it.
 */
bool trusted_file(int fd);

#endif
