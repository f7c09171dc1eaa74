// SPDX-License-Identifier: BSD-2-Clause
/*
 * Which process had the processor for which requests waited. The programs know the thread that has left it, and its name.
 * Of many short processes with one name, none counts: so a process is named that had more than half of the time.
 */
#include "engine/filter.h"
#include "requests_sums.h"
#include "titles.h"

/* Of an object: more threads are not told apart. */
#define MOST_THREADS 64
/* Of a line, so many objects have the process's id. */
#define MOST_NAMED 8

/* The process of a thread that has this name; 0: it has ended, or /proc has other ids. */
static uint32_t process_of(struct why *why, uint32_t tid, const char *name)
{
	const uint32_t task = set_find(&why->sums.tids, &tid, sizeof(tid));
	struct str now __str = {};

	if (task != SET_NONE && !strncmp(why->sums.tasks.v[why->sums.latest.v[task]].comm, name, 16))
		return why->sums.tasks.v[why->sums.latest.v[task]].tgid;
	/* another thread may have the id by now */
	return titles_comm(&now, tid) && !strcmp(now.data, name) ? filter_process_of(tid) : 0;
}

void requests_behind_add(struct requests_line_object *object, uint32_t tid, double ns)
{
	if (ns <= 0)
		return;
	vec_each(thread, &object->threads) {
		if (thread->tid != tid)
			continue;
		thread->ns += ns;
		return;
	}
	if (object->threads.n < MOST_THREADS)
		*vec_push(&object->threads) = (struct requests_behind){ .tid = tid, .ns = ns };
}

/* Makes threads of one process one, with its id. An id that has ended may have been a process or a thread. */
static void merge_threads(struct why *why, struct requests_line_object *object)
{
	size_t n = object->threads.n;

	object->threads.n = 0;
	for (size_t i = 0; i < n; i++) {
		const struct requests_behind thread = object->threads.v[i];
		const uint32_t process = process_of(why, thread.tid, object->name);

		requests_behind_add(object, process ? process : thread.tid, thread.ns);
	}
}

static void name_process(struct why *why, struct requests_line_object *object, double whole)
{
	merge_threads(why, object);
	vec_each(thread, &object->threads) {
		char *name = object->name;

		if (thread->ns <= whole / 2)
			continue;
		object->name = base_printf("%s %u%s", name, thread->tid,
					   process_of(why, thread->tid, name) ? titles_now(&why->requests.titles, thread->tid)
									      : "");
		free(name);
		return;
	}
}

void requests_behind_name(struct why *why, struct requests_line *line)
{
	for (size_t i = 0; i < line->objects.n && i < MOST_NAMED; i++) {
		struct requests_line_object *object = &line->objects.v[i];

		name_process(why, object, object->ns[REQUESTS_MEAN] + object->ns[REQUESTS_SLOWEST_ONE]);
	}
}
