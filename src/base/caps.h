/* SPDX-License-Identifier: BSD-2-Clause */
/* The capabilities of this process, see capabilities(7). */
#ifndef SONDE_BASE_CAPS_H
#define SONDE_BASE_CAPS_H

#include <linux/capability.h>

#include "base.h"

/* Older kernel headers lack these two. */
#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#define CAP_BPF	    39
#endif

/* Returns true if the capability (CAP_...) is in the effective set; false also if the kernel does not say. */
bool base_capable(unsigned int capability);

#endif
