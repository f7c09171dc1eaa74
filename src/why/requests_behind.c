// SPDX-License-Identifier: BSD-2-Clause
/*
 * Which process had the processor for which requests waited. The programs know its id and the name of its thread. Of many
 * short processes with one name, none counts: so a process is named that had more than half of the time.
 */
#include "requests_sums.h"
#include "titles.h"

/* Of an object: more processes are not told apart. */
#define MOST_PROCESSES 64
/* Of a line, so many objects have the process's id. */
#define MOST_NAMED 8

void requests_behind_met(struct why *why, uint32_t id, uint64_t time)
{
	struct why_requests *requests = &why->requests;
	const uint32_t number = id ? set_add_most(&requests->met, &id, sizeof(id), WHY_MET) : SET_NONE;

	if (number == SET_NONE)
		return;
	/* the first time: who came later with this id is somebody else */
	if (number == requests->met_at.n)
		*vec_push(&requests->met_at) = time;
}

bool requests_behind_is(const struct why *why, uint32_t id)
{
	const uint32_t number = set_find(&why->requests.met, &id, sizeof(id));

	return number != SET_NONE && titles_was_there(id, why->requests.met_at.v[number]);
}

uint64_t requests_behind_of(const struct why *why, const struct requests_state *state)
{
	const struct why_key *key = state->object == REQUESTS_NONE ? NULL : (const void *)why->path.keys.v[state->object].bytes;

	return key && key->call == OBJECTS_BEHIND ? key->a : 0;
}

void requests_behind_add(struct requests_line_object *object, uint32_t pid, double ns)
{
	if (ns <= 0)
		return;
	vec_each(process, &object->processes) {
		if (process->pid != pid)
			continue;
		process->ns += ns;
		return;
	}
	if (object->processes.n < MOST_PROCESSES)
		*vec_push(&object->processes) = (struct requests_behind){ .pid = pid, .ns = ns };
}

static void name_process(struct why *why, struct requests_line_object *object, double whole)
{
	vec_each(process, &object->processes) {
		char *name = object->name;

		if (process->ns <= whole / 2)
			continue;
		object->name = base_printf("%s %u%s", name, process->pid,
					   requests_behind_is(why, process->pid)
						   ? titles_now(&why->requests.titles, process->pid)
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
