/* SPDX-License-Identifier: BSD-2-Clause */
/* Within kernel/: the kernel's modules, as it lists them in /proc/modules. */
#ifndef SONDE_KERNEL_MODULES_H
#define SONDE_KERNEL_MODULES_H

#include "kernel.h"

struct module_line {
	const char *name; /* valid during the call */
	uint64_t addr;	  /* where its memory, and in it its code, begins; 0 where the kernel hides it */
	uint64_t size;	  /* of all its memory, bytes: from Linux 6.4 on it is not in one piece */
};

/* Stops and returns what fn returned when that is not 0; 0 also where the kernel has no modules. */
int modules_each(int (*fn)(const struct module_line *module, void *ctx), void *ctx);

#endif
