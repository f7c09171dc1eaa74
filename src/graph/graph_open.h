/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls that are in the pending table, and which of them their thread has left without a return. */
#ifndef SONDE_GRAPH_GRAPH_OPEN_H
#define SONDE_GRAPH_GRAPH_OPEN_H

#include "graph.h"

struct graph_open {
	struct graph_call call;
	bool left; /* its thread is not in it any more: it has jumped out of it, or just returned, and the record comes */
};

struct graph_opens {
	vec(struct graph_open);
};

/* Whether the call's thread is in fewer calls than it would be in that one. */
bool graph_open_has_left(const struct graph_shared *shared, const struct graph_call *call);
/* Marks those that began before another call of their thread that is no deeper: they ended before. Sorts all. */
void graph_open_mark_left(struct graph_opens *opens);

#endif
