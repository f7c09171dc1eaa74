/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A process and its descendants, according to /proc. A descendant whose parent has exited is not found: the
 * kernel gives it a new parent.
 */
#ifndef SONDE_RUN_FAMILY_H
#define SONDE_RUN_FAMILY_H

#include <sys/types.h>

#include "base/base.h"

/*
 * Sends a signal to the head and to its descendants in the process group `group`. had: that group has already
 * received the signal; it is then sent only to a head that has left the group. Stopped processes are continued. A
 * descendant that has left the group is not signalled: shells with job control, sudo and other tracers pass
 * signals on themselves.
 * If /proc is missing or belongs to another PID namespace, only the head is known.
 */
void family_signal(pid_t head, int signal, pid_t group, bool had);
/*
 * Kills the head and all its descendants, in whatever group. All are stopped first, so that none can escape by
 * forking. Returns how many descendants were killed.
 */
size_t family_kill(pid_t head);

#endif
