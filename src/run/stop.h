/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests to stop: the effect of a signal on a run and its command. */
#ifndef SONDE_RUN_STOP_H
#define SONDE_RUN_STOP_H

#include "run.h"

/* From now on stop_take() reads the signals; before, they end us. Returns 0 or -errno. May be called again. */
int stop_watch(struct run *run);
/*
 * Reads the signals that have arrived. If no command is running, the first signal stops the run, and the next one
 * ends us. If a command is running, it receives the first signal, and the run goes on until the command has
 * ended; a second signal kills it.
 */
void stop_take(struct run *run);
/*
 * Reports, once, that the run is waiting for a command that was asked to end. Call it while the command has not
 * ended. Returns the time of the next call, in ns of clock_monotonic_ns(), UINT64_MAX: none.
 */
uint64_t stop_say_waiting(struct run *run);
/* At the end of the run: asks a running command to end (SIGTERM), unless that was done, and waits for it. */
void stop_command(struct run *run);

#endif
