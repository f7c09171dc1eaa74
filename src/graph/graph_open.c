// SPDX-License-Identifier: BSD-2-Clause
#include "graph_open.h"
#include "graph_threads.h"

bool graph_open_has_left(const struct graph_shared *shared, const struct graph_call *call)
{
	struct graph_thread thread;

	return graph_threads_find(shared, call->thread, &thread) && thread.depth <= GRAPH_CALL_DEPTH(call->what);
}

/* Threads one after the other, the newest call of each first. Of calls that begin at one tick of the clock, the deepest is. */
static int by_thread(const void *pa, const void *pb)
{
	const struct graph_call *a = &((const struct graph_open *)pa)->call, *b = &((const struct graph_open *)pb)->call;

	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	if (a->pending.start != b->pending.start)
		return a->pending.start > b->pending.start ? -1 : 1;
	return (a->what < b->what) - (a->what > b->what);
}

void graph_open_mark_left(struct graph_opens *opens)
{
	uint32_t least = UINT32_MAX;

	if (opens->n)
		qsort(opens->v, opens->n, sizeof(*opens->v), by_thread);
	for (size_t i = 0; i < opens->n; i++) {
		struct graph_open *open = &opens->v[i];
		uint32_t depth = GRAPH_CALL_DEPTH(open->call.what);

		if (!i || open->call.thread != open[-1].call.thread)
			least = UINT32_MAX;
		if (depth >= least)
			open->left = true;
		else
			least = depth;
	}
}
