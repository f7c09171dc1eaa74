/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sums over a recording: what each thread did with its time, calls by their number, functions, requests by device and
 * operation, events by kind. For reports; nothing is printed here. Of a recording that was filtered, only threads that
 * passed the filter have sums: of the others, an unknown part is missing.
 */
#ifndef SONDE_REPORT_SUMS_H
#define SONDE_REPORT_SUMS_H

#include "base/set.h"
#include "function_sums.h"
#include "record/recording.h"

enum sums_state {
	SUMS_UNKNOWN, /* nothing says what it did: before its first event, or records were lost */
	SUMS_RUNS,
	SUMS_WAITS,  /* runnable, waits for a processor */
	SUMS_SLEEPS, /* S, I */
	SUMS_DISK,   /* D, or the kernel says that it waits for a disk */
	SUMS_STOPPED,
	SUMS_DEAD,
	SUMS_STATES,
};

/* Rows of a table. Nothing but a damaged recording, or one of days, has more. */
#define SUMS_MAX     (1 << 19)
#define SUMS_FEW_MAX (1 << 14) /* calls, disks */

/* A thread. One that gets the id of another that has ended is another. */
struct sums_task {
	int32_t tid, tgid;
	const char *comm; /* the last; valid as long as the recording */
	enum sums_state state;
	uint64_t since; /* when the state began */
	/* What it did before anything was heard of it, if all of its records are in the recording. */
	enum sums_state guess;
	uint64_t guess_ns;
	bool heard;
	bool existed;  /* before the recording began */
	bool followed; /* its records are there whatever the filter: the filters pass it, or it did something itself */
	bool hidden;   /* of a filtered recording: somebody else, of whom only switches to followed threads are known */
	uint64_t ns[SUMS_STATES];
	uint64_t switches, wakes; /* how often it left a processor, and was woken */
	uint64_t calls, call_ns;
	int64_t call; /* in progress; -1: none */
	uint64_t call_since;
	int64_t waits_in; /* the call in which it sleeps; -1: none, or unknown */
};

/* How long a thread slept in a call. */
struct sums_sleep {
	uint32_t task; /* index */
	enum sums_state state;
	int64_t call; /* -1: none, or unknown */
	uint64_t ns;
};

struct sums_call {
	int64_t number;
	uint64_t count, errors, timed; /* timed: whose beginning is in the recording */
	uint64_t total, most;	       /* ns */
};

struct sums_disk {
	uint64_t device, op;
	uint64_t count, bytes, errors, timed, total, most;
};

struct sums_kind {
	const struct recording_kind *kind;
	uint64_t count;
};

struct sums {
	uint64_t begun, ended; /* ns, CLOCK_MONOTONIC */
	uint64_t events, lost;
	uint64_t unfinished; /* requests without an end */
	uint64_t crowded;    /* events that the tables lack room for, or that a row adds up with those of another thread */
	bool filtered;	     /* switches are missing, and none were lost */
	bool remembered;     /* a flight recorder's: the events of each processor begin at another time */
	vec(struct sums_task) tasks;
	vec(struct sums_call) calls;
	vec(struct sums_disk) disks;
	vec(struct sums_kind) kinds;

	vec(struct sums_sleep) sleeps;
	struct function_sums functions;

	/* indices */
	struct set tids, sleep_ids, numbers, disk_ids, requests;
	vec(uint32_t) task_at; /* of a tid: its task */
	struct {
		struct sums_request {
			uint64_t since; /* 0: not in progress */
		} * v;
		size_t n, cap;
	} pending;
	uint32_t kind_at[LAYOUT_KINDS_MAX]; /* index + 1 */
	int32_t *running;		    /* by processor; -1: unknown */
};

/* Reads the whole recording. Initialise with {}. Returns 0 or -errno with recording_error(). */
int sums_read(struct sums *sums, struct recording *r);
void sums_release(struct sums *sums);

#endif
