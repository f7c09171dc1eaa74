/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens the files of /proc and /sys: for kernel/, and for other code that reads them. */
#ifndef SONDE_KERNEL_KERNEL_FILES_H
#define SONDE_KERNEL_KERNEL_FILES_H

#include <fcntl.h>

#include "kernel.h"

/* Like open(2), with O_CLOEXEC, below the root of kernel_set_root(). Returns a descriptor or -1 with errno. */
int kernel_open(const char *path, int flags);
/* True: no root was set, so the files are those of the kernel. */
bool kernel_is_real(void);

#endif
