/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Within graph/: the calls of a thread as paths for files. Calls that are printed before their callers have returned are
 * kept by their path below these, until the callers come.
 */
#ifndef SONDE_GRAPH_GRAPH_PATHS_H
#define SONDE_GRAPH_GRAPH_PATHS_H

#include "base/lookup.h"
#include "graph_files.h"

/* What the last call of a path took by itself, where the path is that of a call whose caller has not returned. */
struct graph_early_path {
	const char *function;
	bool kernel, taken;
	uint32_t above; /* the path that this one is in; none: UINT32_MAX */
	uint32_t depth; /* of the call */
	uint32_t top;	/* the depth of the first call of the path */
	uint32_t len;	/* calls of the path */
	uint64_t ns, count;
};

/* Of one thread. Initialise with {}. */
struct graph_paths {
	struct graph_early {
		vec(struct graph_early_path);
		struct lookup lookup;
	} early;
	/* By depth: ns of calls that were printed before their caller has returned. They are no time of its own. */
	struct {
		vec(uint64_t);
	} printed;
	uint64_t since; /* when the first of the calls began that have come before their outermost one; 0: none has */
};

/* A call of a tree. */
struct graph_step {
	const char *function;
	bool kernel;
	uint32_t depth;
	uint64_t start, ns;
};

/*
 * Calls in the order of their begins. Those at depth 0 have all their calls now. One that began after calls that wait is
 * not their caller: its record was lost, and they are written without it.
 */
void graph_paths_add(struct graph_paths *paths, struct graph_files *files, const char *comm,
		     const struct graph_step *steps, size_t n);
/* Whether calls wait for their callers. */
bool graph_paths_wait(const struct graph_paths *paths);
/* Callers will not come: what waits for them is written without them. */
void graph_paths_end(struct graph_paths *paths, struct graph_files *files, const char *comm);
void graph_paths_release(struct graph_paths *paths);

#endif
