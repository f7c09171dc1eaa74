/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For files in unwind only: the kernel's records of processes and their executable mappings, from one perf event on
 * each processor, in the order of time. Knows no process.
 */
#ifndef SONDE_UNWIND_RECORDS_H
#define SONDE_UNWIND_RECORDS_H

#include <sys/types.h>

#include "base/base.h"
#include "binary/maps.h"

enum record_kind {
	RECORD_OTHER, /* of no interest */
	RECORD_MAP,   /* memory that can be executed was mapped, or became executable */
	RECORD_EXEC,
	RECORD_FORK, /* also a new thread: pid == parent */
	RECORD_EXIT, /* of a thread */
	RECORD_LOST,
};

struct record {
	enum record_kind kind;
	uint64_t time;	 /* ns of CLOCK_MONOTONIC */
	uint64_t number; /* decides between records of one processor that have the same time */
	pid_t pid, tid;
	pid_t parent;		/* RECORD_FORK: the process id of the parent */
	uint64_t lost;		/* RECORD_LOST: how many records */
	struct mapping mapping; /* RECORD_MAP; its path points into the bytes that were read */
};

/*
 * Reads one record of perf_event.h, of n bytes (what its header claims), as records_open() asks the kernel for it.
 * Returns false if it is damaged.
 */
bool record_read(struct record *record, const void *bytes, size_t n);

struct records;

/*
 * Opens a perf event on each processor that is online. Returns 0; -errno if none could be opened, with err. The caller
 * closes it with records_close().
 */
int records_open(struct records **records, struct err *err);
void records_close(struct records *records);
/* An epoll descriptor that is readable when there are records. */
int records_fd(const struct records *records);
/*
 * Opens events on processors that came online since, and closes those of processors that went offline. Returns true if
 * some came online: their first records are missing.
 */
bool records_check_processors(struct records *records);

/*
 * Calls fn for each record that exists now, in the order of time. A record is valid during the call. Records that come
 * meanwhile may wait for the next call.
 */
typedef void (*record_fn)(void *ctx, const struct record *record);
void records_take(struct records *records, record_fn fn, void *ctx);

#endif
