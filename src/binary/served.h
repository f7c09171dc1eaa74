/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Within binary/ and for unwind/: files that a program serves (FUSE). It answers when it wants, and whoever waits for an
 * answer that the program works on cannot be ended, not even by SIGKILL. So a child asks, and a signal ends the wait of
 * the parent. The child holds no descriptor of ours; it ends when the kernel ends its request.
 */
#ifndef SONDE_BINARY_SERVED_H
#define SONDE_BINARY_SERVED_H

#include <linux/openat2.h>
#include <sys/types.h>

#include "base/base.h"

/*
 * Whether a program serves the files of a device, in whatever namespace it is mounted; or with device 0 any file that the
 * mounts of a process show. pid 0: our own mounts. If fusectl cannot be mounted, its mounts are asked for the device as well.
 * Asks the kernel alone.
 */
bool served_device(pid_t pid, dev_t device);
/*
 * As openat2(2), in a child, which also reads the begin and the end of a file that it opens to read. Returns a
 * descriptor or -errno; -EINTR: a signal that ends us has come.
 */
int served_open(int dir, const char *path, const struct open_how *how);

#endif
