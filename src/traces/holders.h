/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the processes that hold tracing objects: all file descriptors that we may see of BPF objects, perf events
 * and files of tracefs. A link, a program or a perf event exists as long as a process holds it or a pin keeps it.
 */
#ifndef SONDE_TRACES_HOLDERS_H
#define SONDE_TRACES_HOLDERS_H

#include <sys/types.h>

#include "base/pool.h"

enum holding_kind {
	HOLDS_PROGRAM,
	HOLDS_MAP,
	HOLDS_LINK,
	HOLDS_PERF_EVENT,
	HOLDS_TRACE_FILE,
};

struct holding {
	enum holding_kind kind;
	/* of the BPF object; HOLDS_PERF_EVENT: of the BPF program on it, 0 if there is none or it is not reported */
	uint32_t id;
	pid_t pid;
	int fd; /* its number in that process */
	const char *comm;
	const char *file; /* HOLDS_TRACE_FILE: path from the root of tracefs, such as "trace_pipe"; else NULL */
};

struct holders {
	vec(struct holding); /* sorted by kind, id, pid, fd; without our own */
	size_t unreadable;   /* processes whose descriptors we may not see */
	struct pool strings;
};

/*
 * Scans /proc and fills holders; free with holders_release(). tracefs: descriptor of its root, -1 if there is
 * none. Processes come and go during the scan: what exists all the time is found. If /proc cannot be read,
 * holders is empty.
 */
void holders_read(struct holders *holders, int tracefs);
void holders_release(struct holders *holders);
/* Returns the first holding of this kind and id, and in *n how many there are; NULL if there are none. */
const struct holding *holders_find(const struct holders *holders, enum holding_kind kind, uint32_t id, size_t *n);

#endif
