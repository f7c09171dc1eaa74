/* SPDX-License-Identifier: BSD-2-Clause */
/* Within traces/: whether an event is older than a process, which then did not make it. */
#ifndef SONDE_TRACES_AGE_H
#define SONDE_TRACES_AGE_H

#include <sys/types.h>

#include "base/base.h"

/* pid: in the namespace of /proc. False: it is not, or that cannot be proven, which on later kernels it never can. */
bool age_event_precedes(int tracefs, const char *group, const char *name, pid_t pid);

#endif
