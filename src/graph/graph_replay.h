/* SPDX-License-Identifier: BSD-2-Clause */
/* The trees of a recording that `sonde graph --record` has written, as sonde graph prints them. */
#ifndef SONDE_GRAPH_GRAPH_REPLAY_H
#define SONDE_GRAPH_GRAPH_REPLAY_H

#include "graph.h"
#include "output/output.h"
#include "record/recording.h"

/*
 * Reads all events of the recording and prints its calls, tree by tree, in the order of their ends. The settings name
 * files for their times by path, as of sonde graph: folded, flame, overwrite, title. *lost: how many events are missing.
 * Returns 0; -ENODATA with err: it has no calls of functions; -EINVAL: wrong usage, as of files_add(); or another -errno
 * with err.
 */
int graph_replay(struct recording *r, const struct graph_settings *settings, struct output *out, uint64_t *lost,
		 struct err *err);

#endif
