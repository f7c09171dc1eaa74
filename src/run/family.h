/* SPDX-License-Identifier: BSD-2-Clause */
/* A process and what it has started, as /proc has it: who descends from it, whose parents are all there yet. */
#ifndef SONDE_FAMILY_H
#define SONDE_FAMILY_H

#include <sys/types.h>

#include "base/base.h"

/*
 * Sends a signal to each of them, but for those in the process group `had` (0: none), and lets those that are stopped go on.
 * Where /proc is not to be had, or another pid namespace's, the head is all that is known.
 */
void family_signal(pid_t head, int signal, pid_t had);
/* Kills all of them; none can fork away, for all are stopped first. How many there were besides the head. */
size_t family_kill(pid_t head);

#endif
