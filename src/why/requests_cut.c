// SPDX-License-Identifier: BSD-2-Clause
/* Cuts a request into parts (requests.h). Knows threads and points, not where they come from. */
#include "requests_part.h"

struct cut {
	struct requests *requests;
	size_t first; /* of its parts */
	uint64_t number;
};

const struct requests_thread *requests_thread_of(const struct requests *requests, uint32_t tid)
{
	uint32_t number = set_find(&requests->tids, &tid, sizeof(tid));

	return number == SET_NONE ? NULL : &requests->threads.v[number];
}

/* --- what a thread did --- */

/* The first link that ends after a time. */
static size_t find_link(const struct requests_thread *thread, uint64_t time)
{
	size_t low = 0, high = thread ? thread->links.n : 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (thread->links.v[middle].ran_at <= time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The first anchor after a time. */
static size_t find_anchor(const struct requests_thread *thread, uint64_t time)
{
	size_t low = 0, high = thread ? thread->anchors.n : 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (thread->anchors.v[middle].time <= time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* One part for each state, thread and object of a request. */
static void add_part(struct cut *cut, const struct requests_part *part)
{
	struct requests *requests = cut->requests;

	if (!part->ns)
		return;
	for (size_t i = cut->first; i < requests->parts.n; i++) {
		struct requests_part *it = &requests->parts.v[i];

		if (it->where == part->where && it->class == part->class && it->object == part->object &&
		    it->tid == part->tid) {
			it->ns += part->ns;
			return;
		}
	}
	*vec_push(&requests->parts) = *part;
}

struct span {
	uint64_t from, to;
	uint32_t tid;
	uint8_t where;
};

/* One state of the thread, up to `to` or the end of the span. Moves the begin of the span. */
static void add_state(struct cut *cut, struct span *span, uint64_t to, uint8_t class, uint32_t object, bool asleep)
{
	struct requests_part part = { .tid = span->tid, .object = object, .where = span->where, .class = class };

	if (to > span->to)
		to = span->to;
	if (to <= span->from)
		return;
	/* who has nothing to do is not held up by others */
	if (asleep && part.where == REQUESTS_QUEUE && cut->requests->classes.rests >> class & 1)
		part.where = REQUESTS_UNKNOWN;
	part.ns = to - span->from;
	add_part(cut, &part);
	span->from = to;
}

/* All states of a thread in a span. */
static void add_span(struct cut *cut, struct span span)
{
	const struct requests_classes *classes = &cut->requests->classes;
	const struct requests_thread *thread = requests_thread_of(cut->requests, span.tid);

	for (size_t i = find_link(thread, span.from); thread && i < thread->links.n && span.from < span.to; i++) {
		const struct requests_link *link = &thread->links.v[i];

		if (link->born) {
			span.where = REQUESTS_ACCEPT;
			add_state(cut, &span, link->ran_at, classes->unknown, REQUESTS_NONE, false);
			span.where = REQUESTS_OWN;
			continue;
		}
		add_state(cut, &span, link->off_at, classes->running, REQUESTS_NONE, false);
		add_state(cut, &span, link->woken_at, link->class, link->object, true);
		add_state(cut, &span, link->ran_at, link->ready_class, link->behind, false);
	}
	add_state(cut, &span, span.to, classes->running, REQUESTS_NONE, false);
}

/* --- where its own time ends and begins --- */

/* The first and the last time between two points at which a thread did something for other requests; false: never. */
static bool find_foreign(struct cut *cut, uint32_t tid, uint64_t from, uint64_t to, uint64_t *first, uint64_t *last)
{
	const struct requests_thread *thread = requests_thread_of(cut->requests, tid);
	bool found = false;

	for (size_t i = find_anchor(thread, from); thread && i < thread->anchors.n; i++) {
		const struct requests_anchor *anchor = &thread->anchors.v[i];

		if (anchor->time >= to)
			break;
		if (anchor->request == cut->number)
			continue;
		set_add(&cut->requests->foreign, &anchor->request, sizeof(anchor->request));
		if (!found)
			*first = anchor->time;
		*last = anchor->time;
		found = true;
	}
	return found;
}

/* When the thread first had nothing to do. `otherwise`: no later switch of it is known. */
static uint64_t find_rest(const struct requests *requests, uint64_t rests, uint32_t tid, uint64_t from, uint64_t to,
			  uint64_t otherwise)
{
	const struct requests_thread *thread = requests_thread_of(requests, tid);

	for (size_t i = find_link(thread, from); thread && i < thread->links.n; i++) {
		const struct requests_link *link = &thread->links.v[i];

		if (link->off_at >= to)
			return to;
		if (!link->born && link->off_at >= from && link->woken_at > link->off_at &&
		    rests >> link->class & 1)
			return link->off_at;
	}
	return otherwise;
}

/* When the thread had nothing to do and was last woken by another one; 0: it was not. */
static uint64_t find_wake(const struct requests *requests, uint32_t tid, uint32_t waker, uint64_t from, uint64_t to)
{
	const struct requests_thread *thread = requests_thread_of(requests, tid);
	uint64_t found = 0;

	for (size_t i = find_link(thread, from); thread && i < thread->links.n; i++) {
		const struct requests_link *link = &thread->links.v[i];

		if (link->woken_at >= to)
			break;
		if (!link->born && link->waker == waker && link->woken_at > from && link->woken_at > link->off_at &&
		    requests->classes.rests >> link->class & 1)
			found = link->woken_at;
	}
	return found;
}

/* From a point of a thread until the answer of a server behind is read. The thread may do something for others. */
static void cut_behind(struct cut *cut, uint64_t from, const struct requests_point *a, const struct requests_point *b)
{
	const struct requests_classes *classes = &cut->requests->classes;
	const uint64_t to = b->time, rests = classes->rests | 1ULL << classes->behind;
	uint64_t first = to, last = from, forward, arrived = b->arrived;
	bool foreign = find_foreign(cut, a->tid, from, to, &first, &last);

	forward = find_rest(cut->requests, rests, a->tid, from, to, a->tid == b->tid ? to : from);
	if (foreign && first < forward)
		forward = first;
	foreign = find_foreign(cut, b->tid, from, to, &first, &last);
	if (arrived < forward)
		arrived = forward;
	if (arrived > to)
		arrived = to;
	add_span(cut, (struct span){ from, forward, a->tid, REQUESTS_OWN });
	add_part(cut, &(struct requests_part){
			      .ns = arrived - forward,
			      .tid = b->tid,
			      .object = b->from,
			      .where = REQUESTS_BEHIND,
			      .class = classes->behind,
		      });
	if (!foreign || last < arrived)
		last = arrived;
	add_span(cut, (struct span){ arrived, last, b->tid, REQUESTS_QUEUE });
	add_span(cut, (struct span){ last, to, b->tid, REQUESTS_OWN });
}

/* From a point of a thread, or from the arrival (a NULL), to the next one. */
static void cut_segment(struct cut *cut, uint64_t from, const struct requests_point *a, const struct requests_point *b)
{
	uint64_t first, last, forward = from, backward, wake, to = b->time;
	bool foreign;

	if (to <= from)
		return;
	if (a && b->kind == REQUESTS_GET) {
		cut_behind(cut, from, a, b);
		return;
	}
	foreign = find_foreign(cut, b->tid, from, to, &first, &last);
	if (!foreign && (!a || a->tid == b->tid)) {
		add_span(cut, (struct span){ from, to, b->tid, REQUESTS_OWN });
		return;
	}
	backward = foreign ? last : from;
	if (a) {
		uint64_t other, unused;

		/* a thread of which nothing is known may rest since; this one was there at the end */
		forward = find_rest(cut->requests, cut->requests->classes.rests, a->tid, from, to, a->tid == b->tid ? to : from);
		if (a->tid == b->tid && first < forward)
			forward = first;
		else if (a->tid != b->tid && find_foreign(cut, a->tid, from, to, &other, &unused) && other < forward)
			forward = other;
	}
	wake = a && a->tid != b->tid ? find_wake(cut->requests, b->tid, a->tid, from, to) : 0;
	/* the thread of this point was woken by that of the one before: there it took over */
	if (wake > backward) {
		backward = wake;
		forward = wake;
	} else if (!foreign) {
		backward = forward;
	}
	if (backward < forward)
		backward = forward;
	if (a)
		add_span(cut, (struct span){ from, forward, a->tid, REQUESTS_OWN });
	add_span(cut, (struct span){ forward, backward, b->tid, REQUESTS_QUEUE });
	add_span(cut, (struct span){ backward, to, b->tid, REQUESTS_OWN });
}

uint32_t requests_cut(struct requests *requests, const struct requests_open *open)
{
	struct cut cut = { .requests = requests, .first = requests->parts.n, .number = open->number };
	const struct requests_point *before = NULL;
	uint64_t at = open->arrived;
	uint32_t behind;

	for (size_t i = 0; i < open->n; i++) {
		const struct requests_point *point = &open->points[i];

		cut_segment(&cut, at, before, point);
		before = point;
		if (point->time > at)
			at = point->time;
	}
	behind = requests->foreign.n;
	set_release(&requests->foreign);
	requests->foreign = (struct set){};
	return behind;
}
