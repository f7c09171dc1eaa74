/* SPDX-License-Identifier: BSD-2-Clause */
/* The capabilities of this process (capabilities(7)). */
#ifndef SONDE_BASE_CAPS_H
#define SONDE_BASE_CAPS_H

#include <linux/capability.h>

#include "base.h"

/* They are newer than some headers. */
#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#define CAP_BPF	    39
#endif

/* Is it among the effective ones? */
bool base_capable(unsigned int capability);

#endif
