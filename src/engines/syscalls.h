/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The syscall engine (bpf/syscalls.bpf.c): how often system calls are made, fail, and how long they take, by their
 * number or by process. The tool has the options, which complete the settings, and the columns of struct
 * syscalls_row:
 *
 *	static const struct syscalls_source source = {
 *		.settings = SETTING(struct syscalls_settings, struct settings, calls), .configure = configure
 *	};
 *	TOOL(syscount, SYSCALLS_ENGINE(source), .schema = &schema, ...);
 */
#ifndef SONDE_ENGINES_SYSCALLS_H
#define SONDE_ENGINES_SYSCALLS_H

#include "bpf/syscalls.h"
#include "engine/engine.h"

#define SYSCALLS_KEYS_DEFAULT 10240

struct syscalls_settings {
	bool timed, by_process;
	bool failed;	 /* only calls that failed */
	uint32_t error;	 /* only with this one, 0 any */
	int number;	 /* only this call, < 0 all */
	uint32_t ppid;	 /* only of children of this process, 0 of all */
	uint32_t keys;	 /* processes at most */
	uint32_t calls;	 /* pending at a time, 0: twice as many as there are threads */
	uint32_t top;	 /* only so many rows, the largest */
	bool with_total; /* text: a last row with the sum of all */
};

/* Either name or comm is set. */
struct syscalls_row {
	uint32_t key;	  /* number, or process id */
	const char *name; /* NULL: not known */
	char comm[SYSCALLS_COMM_LEN];
	uint64_t calls, errors; /* of a table: since the table before */
	uint64_t ns, max;	/* of those that were timed; max since tracing began */
	bool gone;		/* the process; a later row of this key is another's */
	bool timed;
	double percent; /* of a table: what share ns has of all */
};

struct syscalls_source {
	size_t settings; /* SETTING(struct syscalls_settings, ...), read when configure() has returned */
	/* Completes the settings, and chooses instance->schema. -EINVAL: wrong usage. May be NULL. */
	int (*configure)(struct engine_instance *instance, struct err *err);
};

extern const struct engine syscalls_engine;
/* For TOOL(): this engine, with a struct syscalls_source. */
#define SYSCALLS_ENGINE(SOURCE) .engine = &syscalls_engine, .source = ENGINE_SOURCE(struct syscalls_source, SOURCE)

#endif
