/* SPDX-License-Identifier: BSD-2-Clause */
/* The reader's side of the table of threads (struct graph_thread), which the programs change at any time. */
#ifndef SONDE_GRAPH_GRAPH_THREADS_H
#define SONDE_GRAPH_GRAPH_THREADS_H

#include "graph.h"

/* Copies the entry of a thread. False: it has none any more, or one that is being filled in. */
bool graph_threads_find(const struct graph_shared *shared, uint64_t key, struct graph_thread *copy);
/*
 * The next record of an outermost call of the thread, or of each thread, says who it is. With stacks each record does
 * so.
 */
void graph_threads_ask(const struct graph_shared *shared, uint64_t key);
void graph_threads_ask_all(const struct graph_shared *shared);

#endif
