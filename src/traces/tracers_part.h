/* SPDX-License-Identifier: BSD-2-Clause */
/* Within traces/: what the parts of tracers.h have in common. */
#ifndef SONDE_TRACERS_PART_H
#define SONDE_TRACERS_PART_H

#include "tracers.h"

struct tracer *tracers_add(struct tracers *tracers, const char *kind, const char *name);
void tracers_note(struct tracers *tracers, const char *fmt, ...) __printf(2, 3);
void tracer_add_target(struct tracer *tracer, const char *name);
/* Each process once. */
void tracer_add_process(struct tracer *tracer, pid_t pid, const char *comm);

/* What is in tracers->traces. */
void tracers_add_events(struct tracers *tracers);

#endif
