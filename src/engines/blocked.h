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

#define BLOCKED_USER_THREADS(STRUCT) \
	OPT(OPT_BOOL, STRUCT, user_threads, 'u', "user-threads-only", NULL, "no threads of the kernel")
#define BLOCKED_KERNEL_THREADS(STRUCT) \
	OPT(OPT_BOOL, STRUCT, kernel_threads, 'k', "kernel-threads-only", NULL, "only threads of the kernel")
#define BLOCKED_TIMES(STRUCT) \
	OPT(OPT_U32, STRUCT, least_us, 'm', "min-block-time", "US", "only times of at least US microseconds"), \
		OPT(OPT_U32, STRUCT, most_us, 'M', "max-block-time", "US", "only times of at most US microseconds", \
		    .min = 1)
#define BLOCKED_STATE(STRUCT) \
	OPT(OPT_STRING, STRUCT, state, 0, "state", "BITS", \
	    "only threads in one of these states: 1 sleeps, 2 cannot be interrupted (include/linux/sched.h)")

/* Parts of a struct stack_counts_source. */
#define BLOCKED_MAX 8192
#define BLOCKED_PROGS(PROBES, SETTINGS) \
	.object = blocked_object, PROGS_PROBES(PROBES), PROGS_CONFIG((SETTINGS).config), \
	.pending = { "threads blocked at a time", BLOCKED_MAX, .size = sizeof(struct blocked_thread) }

/* Probes for BLOCKED_PROGS() of the tools that show wakers: the ends are attached before the beginnings. */
#define BLOCKED_WAKES 2
extern const struct progs_probe blocked_wakes[BLOCKED_WAKES];

/* Fields of the blocked thread, in data, and its time. */
#define BLOCKED_THREAD \
	STACK_COUNTS_COMM(comm, "comm"), STACK_COUNTS_ID(pid, "pid"), STACK_COUNTS_ID(tid, "tid"), \
		STACK_COUNTS_TIME("        ")

/* As progs_source.object. */
const void *blocked_object(size_t *size);
/*
 * Checks the options and sets settings->config. wakers: who wakes the threads is traced; targets: the blocked threads
 * are shown with their ids. Takes [DURATION] from the arguments. Returns 0, or -EINVAL with err.
 */
int blocked_configure(struct blocked_settings *settings, struct engine_instance *instance, bool wakers, bool targets,
		      struct err *err);
/*
 * For stack_counts_source.unended: adds the threads that are still off the processor, with their time until now.
 * Returns how many they are.
 */
size_t blocked_unended(struct progs *progs, stack_counts_fn fn, void *ctx);

#endif
