/* SPDX-License-Identifier: BSD-2-Clause */
/* For files of strace only: the programs, of `sonde strace` and of a recording of calls. */
#ifndef SONDE_STRACE_PROGRAMS_H
#define SONDE_STRACE_PROGRAMS_H

#include "engine/progs_life.h"
#include "engine/stream.h"
#include "strace_part.h"

/* Initialise with the members of the first part; the rest is filled in. */
struct strace_programs {
	struct engine_instance *instance;
	const struct strace_settings *settings;
	uint32_t counts, opens; /* entries of the maps of -c; 0: there are none */
	bool switches;		/* -c takes away the time off the processor */
	bool has_stacks;	/* -k */
	bool names;		/* records have names of threads */
	bool timed;		/* it matters when calls began */

	struct strace_config config;
	struct strace_plans plans;
	bool has_lines;	   /* not only the table of -c */
	uint32_t in_calls; /* calls at a time whose begin is only noted: those that run on a processor */
	struct stacks_settings stacks_settings;
	struct stacks_source stacks_source;
	struct stacks *stacks; /* NULL: there are none */
	struct progs progs;
	struct stream *stream;
};

/* Makes the configuration and the plans. */
void strace_programs_init(struct strace_programs *programs);
/*
 * Loads the programs; progs_attach() arms them. members: another object of the instance that follows the command, or
 * NULL. The intake passes records on. Returns 0, or -errno with err.
 */
int strace_programs_load(struct strace_programs *programs, const struct object *members, stream_fn on_record, void *ctx,
			 struct err *err);
/* Detaches, and frees everything but the struct. Also after an error. */
void strace_programs_release(struct strace_programs *programs);

/* Returns how many records found no room in the buffer, or no lane. */
uint64_t strace_programs_lost(const struct strace_programs *programs);

#endif
