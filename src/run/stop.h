/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests to stop: what a signal does to a run and to its command. */
#ifndef SONDE_STOP_H
#define SONDE_STOP_H

#include "run.h"

/* From now on signals are read by stop_take(); before, they end us. -errno. May be called again. */
int stop_watch(struct run *run);
/*
 * Reads what signals have come. Without a command that runs, the first one stops the run, and one more ends us. One that runs is
 * sent the first, and the run goes on until it has ended; a second one kills it.
 */
void stop_take(struct run *run);
/*
 * To be called now and then while a command that was asked to end has not: says so, once. Returns when to
 * call again, of clock_monotonic_ns().
 */
uint64_t stop_say_waiting(struct run *run);
/* The run is over. A command that runs is asked to end (SIGTERM), if nobody has, and waited for. */
void stop_command(struct run *run);

#endif
