// SPDX-License-Identifier: BSD-2-Clause
/*
 * Calls of functions, as ftrace's tracer function_graph has them: an event where a call begins, and one where it ends.
 * Those of all threads are of one processor, since the recording does not know on which they were. Ends are kept until
 * their time has come: so many as calls are open at a time.
 */
#include "trace_dat_part.h"

/* Addresses for functions that have none here; trace-cmd looks up their names by them. */
#define FIRST_ADDRESS 0xffffffff80000000ULL
#define DISTANCE      16

static uint64_t address_of(uint32_t number)
{
	return FIRST_ADDRESS + (uint64_t)number * DISTANCE;
}

/* --- a heap, the earliest end first --- */

/* What ends at the same time as the call that it is in, ends before that. */
static bool is_before(const struct dat_call *a, const struct dat_call *b)
{
	return a->end != b->end ? a->end < b->end : a->depth > b->depth;
}

static void swap(struct dat_call *a, struct dat_call *b)
{
	struct dat_call kept = *a;

	*a = *b;
	*b = kept;
}

static void push(struct dat *dat, const struct dat_call *call)
{
	size_t at = dat->open.n;

	*vec_push(&dat->open) = *call;
	for (; at && is_before(&dat->open.v[at], &dat->open.v[(at - 1) / 2]); at = (at - 1) / 2)
		swap(&dat->open.v[at], &dat->open.v[(at - 1) / 2]);
}

static struct dat_call pop(struct dat *dat)
{
	struct dat_call first = dat->open.v[0], *v = dat->open.v;
	size_t at = 0, n = --dat->open.n;

	v[0] = v[n];
	for (;;) {
		size_t next = 2 * at + 1;

		if (next + 1 < n && is_before(&v[next + 1], &v[next]))
			next++;
		if (next >= n || !is_before(&v[next], &v[at]))
			return first;
		swap(&v[at], &v[next]);
		at = next;
	}
}

/* --- events --- */

static void end_call(struct dat *dat, const struct dat_call *call)
{
	dat_begin(dat, DAT_CALL_EXIT, call->task);
	dat_put_number(dat, address_of(call->function), 8);
	dat_put_number(dat, 0, 8);
	dat_put_number(dat, call->start, 8);
	dat_put_number(dat, call->end, 8);
	dat_put_number(dat, call->depth, 4);
	dat_pages_add(&dat->pages, call->cpu, call->end, dat->data, dat->len);
}

void dat_calls_end(struct dat *dat, uint64_t until)
{
	while (dat->open.n && dat->open.v[0].end <= until) {
		struct dat_call call = pop(dat);

		end_call(dat, &call);
	}
}

void dat_calls_add(struct dat *dat)
{
	const struct recording_event *event = dat->event;
	int64_t function = recording_known(event, KNOWN_F_PROBE, 0);
	uint64_t took = recording_known(event, KNOWN_F_TOOK, 0);
	struct dat_call call = {
		.function = set_add(&dat->functions, &function, sizeof(function)),
		.start = event->time,
		.end = took < UINT64_MAX - event->time ? event->time + took : UINT64_MAX,
		.depth = recording_known(event, KNOWN_F_DEPTH, 0),
		.task = event->task,
		.cpu = event->cpu,
	};

	dat_begin(dat, DAT_CALL_ENTRY, call.task);
	dat_put_number(dat, address_of(call.function), 8);
	dat_put_number(dat, call.depth, 4);
	dat_pages_add(&dat->pages, call.cpu, call.start, dat->data, dat->len);
	if (recording_known(event, KNOWN_F_ENDED, 1))
		push(dat, &call);
}

/* A line for each, as in /proc/kallsyms; a name ends at a blank. */
void dat_calls_names(const struct dat *dat, struct str *s)
{
	for (uint32_t i = 0; i < dat->functions.n; i++) {
		int64_t function;
		const char *name;

		memcpy(&function, dat->functions.v[i].bytes, sizeof(function));
		name = recording_text(dat->r, LAYOUT_SPACE_PROBES, function);
		str_addf(s, "%016llx T ", (unsigned long long)address_of(i));
		if (!name)
			str_addf(s, "function_%lld", (long long)function);
		for (const char *c = str_or_empty(name); *c; c++)
			str_addc(s, (unsigned char)*c > ' ' && *c < 0x7f ? *c : '_');
		str_addc(s, '\n');
	}
}
