/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who holds what traces: the file descriptors of all processes that we may see, as far as they are BPF objects, perf
 * events or files of tracefs. Links, programs and perf events live as long as somebody holds them or a pin does.
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
	uint32_t id; /* of a BPF object; HOLDS_PERF_EVENT: of the BPF program on it, 0 none or not told */
	pid_t pid;
	int fd; /* its number in that process */
	const char *comm;
	const char *file; /* HOLDS_TRACE_FILE: from tracefs' root, "trace_pipe"; else NULL */
};

struct holders {
	struct holding *v; /* by kind, id, pid, fd; not our own */
	size_t n, cap;
	size_t unreadable; /* processes whose descriptors we may not see */
	struct pool strings;
};

/* tracefs: its root, -1 where there is none. Processes come and go meanwhile: what was there all the time is found. */
void holders_read(struct holders *holders, int tracefs);
void holders_release(struct holders *holders);
/* The first of those of a kind and id, and in *n how many there are. */
const struct holding *holders_find(const struct holders *holders, enum holding_kind kind, uint32_t id, size_t *n);

#endif
