// SPDX-License-Identifier: BSD-2-Clause
/*
 * Calls of a thread come in the order of their begins, each with how deep it is in others. So the calls that it is in
 * are those before it that are less deep and have not ended.
 */
#include "function_sums.h"

#define FUNCTIONS_MAX (1 << 16)
/* Calls that are remembered of a thread; and how many of them are searched for one of the same function. */
#define DEPTH_MAX    (1 << 16)
#define SEARCHED_MAX 512

static struct function_sums_track *track_of(struct function_sums *functions, const struct recording_event *event)
{
	int64_t key[] = { event->task, recording_known(event, KNOWN_F_TRACK, 0) };
	uint32_t number = set_find(&functions->ids, key, sizeof(key));

	if (number == SET_NONE && functions->ids.n >= RECORDING_TASKS_MAX)
		return NULL;
	if (number == SET_NONE) {
		number = set_add(&functions->ids, key, sizeof(key));
		vec_push(&functions->tracks);
	}
	return &functions->tracks.v[number];
}

static uint32_t find_function(struct function_sums *functions, int64_t number)
{
	uint32_t at = set_find(&functions->numbers, &number, sizeof(number));

	if (at != SET_NONE || functions->n >= FUNCTIONS_MAX)
		return at;
	vec_push(functions)->number = number;
	return set_add(&functions->numbers, &number, sizeof(number));
}

/* Forgets the calls that one of this depth and begin is not in. */
static void leave_calls(struct function_sums_track *track, uint32_t depth, uint64_t begin)
{
	while (track->n) {
		const struct function_sums_call *last = &track->v[track->n - 1];

		if (last->depth < depth && (!last->end || last->end >= begin))
			return;
		track->n--;
	}
}

static bool is_in(const struct function_sums_track *track, uint32_t function)
{
	for (size_t i = track->n, n = 0; i-- && n < SEARCHED_MAX; n++)
		if (track->v[i].function == function)
			return true;
	return false;
}

/* What a call takes is not the own time of the one that it is in, which may come later. */
static void take_from_caller(struct function_sums *functions, struct function_sums_track *track, uint32_t depth,
			     uint64_t begin, uint64_t took)
{
	struct function_sums_early *early;

	if (track->n) {
		const struct function_sums_call *call = &track->v[track->n - 1];
		struct function_sum *caller = &functions->v[call->function];

		if (call->end)
			caller->self -= took < caller->self ? took : caller->self;
		return;
	}
	if (!depth || depth >= DEPTH_MAX)
		return;
	while (track->early.n <= depth)
		vec_push(&track->early);
	early = &track->early.v[depth];
	if (!early->ns)
		early->begin = begin;
	early->ns += took;
}

/* How long calls in this one took that came before it. Those that are older than it have lost their caller. */
static uint64_t early_calls(struct function_sums_track *track, uint32_t depth, uint64_t begin)
{
	struct function_sums_early *early;
	uint64_t ns;

	if (depth >= DEPTH_MAX || depth + 1 >= track->early.n)
		return 0;
	early = &track->early.v[depth + 1];
	ns = early->begin >= begin ? early->ns : 0;
	*early = (struct function_sums_early){};
	return ns;
}

/* Of how many functions of a thread it is remembered what their early calls took. */
#define TOTALS_MAX 64

static struct function_sums_total *total_of(struct function_sums_track *track, uint32_t function)
{
	vec_each(total, &track->totals)
		if (total->function == function)
			return total;
	return NULL;
}

/* A call that is in none of the same function, as far as is known. Those in it may have come before it. */
static void add_total(struct function_sum *sum, struct function_sums_track *track, uint32_t function, uint32_t depth,
		      uint64_t begin, uint64_t took)
{
	struct function_sums_total *early = total_of(track, function);
	uint64_t inner = early && early->begin >= begin ? early->ns : 0;

	sum->total += took > inner ? took - inner : 0;
	if (inner)
		early->ns = 0;
	/* its callers have come */
	if (!(track->n ? track->v[0].depth : depth))
		return;
	if (!early && track->totals.n < TOTALS_MAX) {
		early = vec_push(&track->totals);
		early->function = function;
	}
	if (!early)
		return;
	if (!early->ns)
		early->begin = begin;
	early->ns += took;
}

bool function_sums_add(struct function_sums *functions, const struct recording_event *event)
{
	uint32_t function = find_function(functions, recording_known(event, KNOWN_F_PROBE, 0));
	struct function_sums_track *track = track_of(functions, event);
	uint32_t depth = recording_known(event, KNOWN_F_DEPTH, 0);
	bool ended = recording_known(event, KNOWN_F_ENDED, 1);
	uint64_t took = ended ? recording_known(event, KNOWN_F_TOOK, 0) : 0, inner;
	struct function_sum *sum;

	if (!track || function == SET_NONE)
		return false;
	sum = &functions->v[function];
	leave_calls(track, depth, event->time);
	sum->count++;
	sum->open += !ended;
	inner = early_calls(track, depth, event->time);
	sum->self += took > inner ? took - inner : 0;
	sum->longest = took > sum->longest ? took : sum->longest;
	if (!is_in(track, function))
		add_total(sum, track, function, depth, event->time, took);
	take_from_caller(functions, track, depth, event->time, took);
	if (track->n < DEPTH_MAX)
		*vec_push(track) = (struct function_sums_call){ depth, function, ended ? event->time + took : 0 };
	return true;
}

void function_sums_release(struct function_sums *functions)
{
	vec_each(track, &functions->tracks) {
		free(track->v);
		free(track->early.v);
		free(track->totals.v);
	}
	free(functions->tracks.v);
	free(functions->v);
	set_release(&functions->numbers);
	set_release(&functions->ids);
	*functions = (struct function_sums){};
}
