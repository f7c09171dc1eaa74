/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For files in unwind only: the kernel's records of processes and their executable mappings, from one perf event on
 * each processor, in the order of time. Knows no process.
 */
#ifndef SONDE_UNWIND_MAPPED_H
#define SONDE_UNWIND_MAPPED_H

#include <sys/types.h>

#include "base/base.h"
#include "binary/maps.h"

enum mapped_kind {
	MAPPED_OTHER, /* of no interest */
	MAPPED_MAP,   /* memory that can be executed was mapped, or became executable */
	MAPPED_EXEC,
	MAPPED_FORK, /* also a new thread: pid == parent */
	MAPPED_EXIT, /* of a thread */
	MAPPED_LOST,
};

struct mapped_event {
	enum mapped_kind kind;
	uint64_t time;	 /* ns of CLOCK_MONOTONIC */
	uint64_t number; /* decides between records of one processor that have the same time */
	pid_t pid, tid;
	pid_t parent;		/* MAPPED_FORK: the process id of the parent */
	uint64_t lost;		/* MAPPED_LOST: how many records */
	struct mapping mapping; /* MAPPED_MAP; its path points into the bytes that were read */
};

/*
 * Reads one record of perf_event.h, of n bytes (what its header claims), as mapped_open() asks the kernel for it.
 * Returns false if it is damaged.
 */
bool mapped_read(struct mapped_event *record, const void *bytes, size_t n);

struct mapped;

/*
 * Opens a perf event on each processor that is online. Returns 0; -errno if none could be opened, with err. The caller
 * closes it with mapped_close().
 */
int mapped_open(struct mapped **records, struct err *err);
void mapped_close(struct mapped *records);
/* An epoll descriptor that is readable when there are records. */
int mapped_fd(const struct mapped *records);
/*
 * Opens events on processors that came online since, and closes those of processors that went offline. Returns true if
 * some came online: their first records are missing.
 */
bool mapped_check_processors(struct mapped *records);

/*
 * Calls fn for each record that exists now, in the order of time. A record is valid during the call. Records that come
 * meanwhile may wait for the next call.
 */
typedef void (*mapped_fn)(void *ctx, const struct mapped_event *record);
void mapped_take(struct mapped *records, mapped_fn fn, void *ctx);

#endif
