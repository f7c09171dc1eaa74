/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the tools that show where threads are blocked (bpf/blocked.bpf.c): their options and their source. */
#ifndef SONDE_ENGINES_BLOCKED_H
#define SONDE_ENGINES_BLOCKED_H

#include "bpf/pending.h"
#include "bpf/blocked.h"
#include "stack_counts.h"

struct blocked_settings {
	bool user_threads, kernel_threads;
	uint32_t least_us, most_us; /* most_us 0: no limit */
	const char *state;
	struct blocked_config config; /* blocked_configure() sets it */
};

#define BLOCKED_USER_THREADS \
	OPT(OPT_BOOL, struct blocked_settings, user_threads, 'u', "user-threads-only", NULL, "no threads of the kernel")
#define BLOCKED_TIMES \
	OPT(OPT_U32, struct blocked_settings, least_us, 'm', "min-block-time", "US", \
	    "only times of at least US microseconds"), \
		OPT(OPT_U32, struct blocked_settings, most_us, 'M', "max-block-time", "US", \
		    "only times of at most US microseconds", .min = 1)
/* All of them. */
#define BLOCKED_OPTIONS 5
extern const struct opt blocked_options[BLOCKED_OPTIONS];

/*
 * The members of a struct stack_counts_source that all have, for a tool with SETTINGS(struct blocked_settings). COUNTS: as
 * in struct stacks_source.
 */
#define BLOCKED_MAX 8192
#define BLOCKED_SOURCE(PROBES, WHAT, COUNTS) \
	.progs = { \
		.object = blocked_object, \
		PROGS_PROBES(PROBES), \
		PROGS_CONFIG(struct blocked_settings, config), \
		.configure = blocked_configure, \
		.pending = { "threads blocked at a time", BLOCKED_MAX, .size = sizeof(struct blocked_thread) }, \
		.what = WHAT, \
	}, \
	.stacks = { .by_time = true, .counts = COUNTS, .times = "delay" }

/* PROBES of the tools that show wakers: the ends are attached before the beginnings. */
#define BLOCKED_WAKES 2
extern const struct progs_probe blocked_wakes[BLOCKED_WAKES];

/* Fields of the blocked thread, in data, and its time. */
#define BLOCKED_THREAD \
	STACK_COUNTS_COMM(comm, "comm"), STACK_COUNTS_ID(pid, "pid"), STACK_COUNTS_ID(tid, "tid"), \
		STACK_COUNTS_TIME("        ")

/* As progs_source.object. */
const void *blocked_object(size_t *size);
/* As progs_source.configure: checks the options, completes the settings, and takes [DURATION] from the arguments. */
int blocked_configure(struct engine_instance *instance, struct progs_source *own, struct err *err);
/*
 * For stack_counts_source.unended: adds the threads that are still off the processor, with their time until now.
 * Returns how many they are.
 */
size_t blocked_unended(struct progs *progs, stack_counts_fn fn, void *ctx);

#endif
