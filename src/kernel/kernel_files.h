/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the kernel's own files are: for kernel/, and for who reads others of them. */
#ifndef SONDE_KERNEL_FILES_H
#define SONDE_KERNEL_FILES_H

#include <fcntl.h>

#include "kernel.h"

/* As open(2), below the root of kernel_set_root(). */
int kernel_open(const char *path, int flags);
bool kernel_is_real(void); /* no root was set */

#endif
