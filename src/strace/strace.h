/* SPDX-License-Identifier: BSD-2-Clause */
/* The engine of `sonde strace`: system calls with their arguments, one line each, as strace prints them. */
#ifndef SONDE_STRACE_STRACE_H
#define SONDE_STRACE_STRACE_H

#include "engine/engine.h"

struct object;
struct strace_record;

/* A call that has ended, for JSON and CSV. */
struct strace_row {
	uint64_t time, ns; /* of its begin, since boot; how long it took, 0: not known */
	uint32_t pid, tid;
	int64_t ret;
	int error; /* -errno, 0: none */
	char comm[16];
	const char *call, *args;
};

extern const struct engine strace_engine;
extern const struct schema strace_schema;

#define STRACE_ENGINE .engine = &strace_engine, .schema = &strace_schema

/*
 * Calls that failed, of a command with all of its children, and what another room says of each: an engine with
 * options of its own, whose source is a struct strace_beside. That room's programs send records of the kind
 * STRACE_BESIDE (bpf/strace.h) into the buffer of strace's, before the record of the call's end.
 */
struct strace_beside {
	/*
	 * strace's programs are prepared, and will be attached next: programs that attach() attaches see the end of
	 * a call
	 * before them. object: strace's, whose map `events` is the buffer, and whose maps of filters are filled.
	 * error: only
	 * calls that fail with this one; 0: all. Return 0, or -errno with err; -EINTR.
	 */
	int (*open)(void **state, struct engine_instance *instance, const struct object *object, uint32_t error,
		    struct err *err);
	/* Appends lines below that of a call. call: its end; facts, size: what STRACE_BESIDE had; NULL: none came. */
	void (*describe)(void *state, struct str *out, const struct strace_record *call, const void *facts,
			 size_t size);
	/* Prints a row of the instance's schema, for JSON and CSV. */
	void (*print)(void *state, struct output *out, const struct strace_row *row, const struct strace_record *call,
		      const void *facts, size_t size);
	/* Reports what was lost. Returns whether something was. */
	bool (*losses)(void *state);
	void (*close)(void *state);
};

extern const struct engine strace_failed_engine;

/* The fields of a row that begins with a struct strace_row. */
#define STRACE_FIELDS \
	FIELD(FIELD_ELAPSED, struct strace_row, time, "boot_ns", "TIME(s)", -12), \
		FIELD(FIELD_U32, struct strace_row, pid, "pid", "PID", -7, .role = ROLE_TASK), \
		FIELD(FIELD_U32, struct strace_row, tid, "tid", "TID", -7, .role = ROLE_TASK), \
		FIELD(FIELD_CHARS, struct strace_row, comm, "comm", "COMM", -16, .role = ROLE_TASK), \
		FIELD(FIELD_STR, struct strace_row, call, "call", "CALL", -16), \
		FIELD(FIELD_STR, struct strace_row, args, "args", "ARGS", -1), \
		FIELD(FIELD_S64, struct strace_row, ret, "ret", "RET", 6), \
		FIELD(FIELD_ERROR, struct strace_row, error, "error", "ERROR", -8), \
		FIELD(FIELD_U64, struct strace_row, ns, "ns", "NS", 8)

#endif
