/* SPDX-License-Identifier: BSD-2-Clause */
/* Within graph/: trees as folded stacks and flame graphs, by the time that calls took without the calls in them. */
#ifndef SONDE_GRAPH_GRAPH_FILES_H
#define SONDE_GRAPH_GRAPH_FILES_H

#include "graph.h"
#include "output/files.h"

/* The most frames of a stack (frame.h): the time of deeper calls belongs to the last of them. */
#define GRAPH_FILES_FRAMES 127

/* Initialise with {}. */
struct graph_files {
	struct files files;
	struct tree frames; /* one for each function and side */
	bool stacks;	    /* one of them has stacks */
};

/* A call that others are in: its function, how long it took, and how much of that the calls in it took so far. */
struct graph_path {
	const char *function;
	bool kernel;
	uint64_t ns, inner;
};

/*
 * Names the files that are written at the end; NULL: not wanted. Returns 0, or -errno with err; -EINVAL: wrong usage, as of
 * files_add(), or a file goes where the rows of `out` go.
 */
int graph_files_add(struct graph_files *files, const struct graph_settings *settings, const struct output *out,
		    struct err *err);
/* The next file that is made of a recording, after NULL the first; NULL: none is left. Valid as long as the files. */
const struct file *graph_files_recorded(const struct graph_files *files, const struct file *after);
/* Adds what calls path[n - 1], which are in those before it, took by themselves. */
void graph_files_add_time(struct graph_files *files, const char *comm, const struct graph_path *path, size_t n, uint64_t ns,
			  uint64_t count);
/*
 * Writes those with stacks, with the title of the run. Returns 0, or -errno with err: one could not be written. If there
 * are more, the errors before the last one are reported.
 */
int graph_files_write(struct graph_files *files, const char *title, struct err *err);
void graph_files_release(struct graph_files *files);

#endif
