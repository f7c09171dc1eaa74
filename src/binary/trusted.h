/* SPDX-License-Identifier: BSD-2-Clause */
/* Which files belong to the system that we run on, so that what they say is as good as what our own kernel and shell do. */
#ifndef SONDE_TRUSTED_H
#define SONDE_TRUSTED_H

#include <limits.h>
#include <stdbool.h>

/* The open file's path, without links: true if root alone can make it lead to another file. */
bool trusted_path(int fd, char path[PATH_MAX]);

/*
 * Is the open file one of our own system's programs and libraries? In our mount namespace, below /usr or /lib*, and root
 * alone can write it and each directory above it.
 */
bool trusted_file(int fd);

#endif
