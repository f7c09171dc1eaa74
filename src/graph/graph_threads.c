// SPDX-License-Identifier: BSD-2-Clause
#include "graph_threads.h"

bool graph_threads_find(const struct graph_shared *shared, uint64_t key, struct graph_thread *copy)
{
	const struct graph_thread *known = &shared->threads[GRAPH_THREAD_AT(key)];

	for (size_t i = 0; i < GRAPH_THREAD_WAYS; i++) {
		if (__atomic_load_n(&known[i].key, __ATOMIC_ACQUIRE) != key)
			continue;
		*copy = known[i];
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		/* another thread may have taken it meanwhile */
		if (*copy->comm && __atomic_load_n(&known[i].key, __ATOMIC_RELAXED) == key)
			return true;
	}
	return false;
}

void graph_threads_ask(const struct graph_shared *shared, uint64_t key)
{
	struct graph_thread *known = &shared->threads[GRAPH_THREAD_AT(key)];

	for (size_t i = 0; i < GRAPH_THREAD_WAYS && !shared->stacks; i++)
		if (__atomic_load_n(&known[i].key, __ATOMIC_RELAXED) == key)
			__atomic_store_n(&known[i].sent, 0, __ATOMIC_RELAXED);
}

void graph_threads_ask_all(const struct graph_shared *shared)
{
	for (size_t i = 0; i < GRAPH_THREADS && !shared->stacks; i++)
		__atomic_store_n(&shared->threads[i].sent, 0, __ATOMIC_RELAXED);
}
