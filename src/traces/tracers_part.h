/* SPDX-License-Identifier: BSD-2-Clause */
/* For tracers*.c only. tracers_read.c calls the parts, and the parts call tracers.c: there is no other way. */
#ifndef SONDE_TRACES_TRACERS_PART_H
#define SONDE_TRACES_TRACERS_PART_H

#include "tracers.h"

/*
 * Appends a tracer without numbers and owner. The strings are not copied. The address is valid until the next one
 * is added.
 */
struct tracer *tracers_add(struct tracers *tracers, const char *kind, const char *name);
/* Adds a note for the user: what could not be read, and why. */
void tracers_note(struct tracers *tracers, const char *fmt, ...) __printf(2, 3);
/* name may be NULL (unknown); it is not copied. */
void tracer_add_target(struct tracer *tracer, const char *name);
/* Adds a process unless it is there already. comm is not copied. */
void tracer_add_process(struct tracer *tracer, pid_t pid, const char *comm);

/* Adds a tracer for each of tracers->programs. */
void tracers_add_programs(struct tracers *tracers);
/* Adds a tracer for each process that holds perf events without a program. */
void tracers_add_perf_events(struct tracers *tracers);
/* Adds tracers for the items of tracers->traces. */
void tracers_add_events(struct tracers *tracers);

#endif
