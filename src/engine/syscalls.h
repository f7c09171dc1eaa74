/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The syscall engine (bpf/syscalls.bpf.c): how often system calls are made, fail, and how long they take, by their number or
 * by process. The tool says what, and shows what has been taken.
 */
#ifndef SONDE_ENGINE_SYSCALLS_H
#define SONDE_ENGINE_SYSCALLS_H

#include "bpf/syscalls.h"
#include "engine.h"

#define SYSCALLS_KEYS_DEFAULT 10240

struct syscalls_settings {
	bool timed, by_process;
	bool failed;	/* only calls that failed */
	uint32_t error; /* only with this one, 0 any */
	int number;	/* only this call, < 0 all */
	uint32_t ppid;	/* only of children of this process, 0 of all */
	uint32_t keys;	/* processes at most */
	uint32_t calls; /* under way at a time, 0: as many as there are threads */
};

/* Either name or comm is set. */
struct syscalls_row {
	uint32_t key;	  /* number, or process id */
	const char *name; /* NULL: not known */
	char comm[SYSCALLS_COMM_LEN];
	uint64_t calls, errors; /* since they were taken before */
	uint64_t ns, max;	/* of those that were timed; max since tracing began */
	bool gone;		/* the process; a later row of this key is another's */
};

struct syscalls;

/* After an error, too, syscalls_close(). */
int syscalls_open(struct syscalls **syscalls, struct engine_instance *instance, const struct syscalls_settings *settings, struct err *err);
/* What is not zero, in no order; in memory that is the caller's until it asks again. */
struct syscalls_row *syscalls_take(struct syscalls *syscalls, size_t *n);
void syscalls_losses(struct syscalls *syscalls, struct engine_instance *instance);
void syscalls_close(struct syscalls *syscalls);

#endif
