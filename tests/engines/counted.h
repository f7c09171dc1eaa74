/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An engine that counts the calls of a workload as the exporter's lines do, and how many calls it has counted. What is
 * not as expected ends the program, but for an engine that cannot be opened.
 */
#ifndef SONDE_TESTS_ENGINES_COUNTED_H
#define SONDE_TESTS_ENGINES_COUNTED_H

#include "attach/attach.h"
#include "engine/engine.h"

struct counted {
	const struct counted_kind *kind;
	const struct engine *engine;
	struct engine_metrics metrics; /* the caller's choice, before counted_open() */
	struct engine_context ctx;
	struct engine_instance instance;
};

struct counted_totals {
	uint64_t calls, ns, max; /* ns, max: of engines that measure; max: of system calls */
};

/* engine: count, latency, syscalls (of getpgid), script. */
void counted_choose(struct counted *counted, const char *engine);
/* *spec lives as long as the engine; of a script it is the program. comm: whose calls. */
int counted_open(struct counted *counted, const char *mechanism, const char **spec, const char *comm, struct err *err);
void counted_close(struct counted *counted);

struct counted_totals counted_total(struct counted *counted);
/* Hits that the kernel skipped. */
uint64_t counted_missed(const struct attach *attach);

#endif
