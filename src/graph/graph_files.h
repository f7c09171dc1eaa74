/* SPDX-License-Identifier: BSD-2-Clause */
/* Within graph/: trees as folded stacks and flame graphs, by the time that calls took without the calls in them. */
#ifndef SONDE_GRAPH_GRAPH_FILES_H
#define SONDE_GRAPH_GRAPH_FILES_H

#include "output/files.h"

/* Initialise with {}. */
struct graph_files {
	struct files files;
	struct tree frames; /* one for each function and side */
};

/* A call that others are in: its function, how long it took, and how much of that the calls in it took so far. */
struct graph_path {
	const char *function;
	bool kernel;
	uint64_t ns, inner;
};

/*
 * Names the files that are written at the end; NULL: not wanted. Returns 0, or -errno with err; -EINVAL: wrong usage,
 * as of files_add().
 */
int graph_files_add(struct graph_files *files, const char *folded, const char *flame, bool force, struct err *err);
static inline bool graph_files_wanted(const struct graph_files *files)
{
	return files->files.n;
}
/* The call path[n - 1], which is in those before it, has ended: adds the time that it took by itself. */
void graph_files_call(struct graph_files *files, const char *comm, const struct graph_path *path, size_t n);
/* Writes the files and reports errors, with the title of the run. False: one could not be written. */
bool graph_files_write(struct graph_files *files, const char *title);
void graph_files_release(struct graph_files *files);

#endif
