/* SPDX-License-Identifier: BSD-2-Clause */
/* Within symbols/: where the kernel's own files are. */
#ifndef SONDE_KERNEL_FILES_H
#define SONDE_KERNEL_FILES_H

#include <fcntl.h>

#include "kernel.h"

/* As open(2), below the root of kernel_set_root(). */
int kernel_open(const char *path, int flags);
bool kernel_is_real(void); /* no root was set */

#endif
