/* SPDX-License-Identifier: BSD-2-Clause */
/* A process and what it has started, as /proc has it: who descends from it, whose parents are all there yet. */
#ifndef SONDE_FAMILY_H
#define SONDE_FAMILY_H

#include <sys/types.h>

#include "base/base.h"

/*
 * Sends a signal to the head, and to those of its descendants that are in this process group; where the group has had it from
 * somebody else, only to a head that has left it. Those that are stopped go on. Who has left the group answers for that: a shell with
 * jobs, sudo, another tracer pass signals on themselves.
 * Where /proc is not to be had, or another pid namespace's, the head is all that is known.
 */
void family_signal(pid_t head, int signal, pid_t group, bool had);
/* Kills all of them, in whatever group; none can fork away, for all are stopped first. How many there were besides the head. */
size_t family_kill(pid_t head);

#endif
