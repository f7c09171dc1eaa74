/* SPDX-License-Identifier: BSD-2-Clause */
/* Decides which files only root, or users that sonde trusts, can change. */
#ifndef SONDE_BINARY_TRUSTED_H
#define SONDE_BINARY_TRUSTED_H

#include <limits.h>
#include <sys/types.h>

#include "base/base.h"

/*
 * Whether only the n owners can change an open file or directory, and where its path leads, as ssh checks its files: it
 * and each directory above it belong to one of them, and neither group nor others may write to it. Directories above it
 * may be sticky, as /tmp is: what they hold, others cannot replace. path (or NULL): its path without links. Returns 0, or
 * -EPERM, -ESTALE (another mount namespace or root) or -errno, with the reason in err, such as "it belongs to another
 * user (1000)".
 */
int trusted_check(int fd, const uid_t *owners, size_t n, char path[PATH_MAX], struct err *err);

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
