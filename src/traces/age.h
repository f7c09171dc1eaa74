/* SPDX-License-Identifier: BSD-2-Clause */
/* For files in traces only: proves that an event is older than a process, so that the process cannot have made it. */
#ifndef SONDE_TRACES_AGE_H
#define SONDE_TRACES_AGE_H

#include <sys/types.h>

#include "base/base.h"

/*
 * tracefs: descriptor of its root. pid: in the PID namespace of /proc. Returns true if the event is proven to be
 * older than the process; false if it is not or there is no proof. Kernels that make inodes late never give a
 * proof.
 */
bool age_event_precedes(int tracefs, const char *group, const char *name, pid_t pid);

#endif
