/* SPDX-License-Identifier: BSD-2-Clause */
/* The trees of a recording that `sonde graph --record` has written, as sonde graph prints them. */
#ifndef SONDE_GRAPH_GRAPH_REPLAY_H
#define SONDE_GRAPH_GRAPH_REPLAY_H

#include "output/output.h"
#include "record/recording.h"

/*
 * Reads all events of the recording and prints its calls, tree by tree, in the order of their ends. *lost: how many
 * events are missing. Returns 0; -ENODATA with err: it has no calls of functions; or another -errno with err.
 */
int graph_replay(struct recording *r, struct output *out, uint64_t *lost, struct err *err);

#endif
