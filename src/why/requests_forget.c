// SPDX-License-Identifier: BSD-2-Clause
/*
 * What the exchange machine throws away (requests.h): what no request needs any more, and what it would have to keep
 * for a request that is never answered. Numbers of threads and of connections change then.
 */
#include "base/clock.h"
#include "requests_part.h"

/* Every so many calls, what no request needs any more is thrown away. */
#define CALLS 25
/* A request is known when it is read: so long after it has arrived, all is still there. */
#define READ_WITHIN (2 * NS_PER_SEC)
/* With so many threads or sockets, and twice as many as were left before, those go of which nothing is known. */
#define MOST_NUMBERS 16384
/* Then a connection is over that nobody has used for so long; and one on which an answer is missing. */
#define UNUSED	   (600 * NS_PER_SEC)
#define UNANSWERED (3600 * NS_PER_SEC)

static uint64_t before(uint64_t time, uint64_t ns)
{
	return time > ns ? time - ns : 0;
}

/* What nobody needs: before the begin of all requests that last, but for those that are not split anyway. */
static uint64_t find_oldest(const struct requests *requests, uint64_t until)
{
	const uint64_t longest = requests->limits.longest ? before(until, requests->limits.longest) : 0;
	const uint64_t least = longest > requests->forgotten ? longest : requests->forgotten;
	uint64_t oldest = before(until, READ_WITHIN);

	if (requests->unread >= least && requests->unread < oldest)
		oldest = requests->unread;
	vec_each(open, &requests->connections)
		if (open->number && open->arrived >= least && open->arrived < oldest)
			oldest = open->arrived;
	vec_each(fresh, &requests->fresh)
		if (fresh->what == REQUESTS_FRESH_EVENT && fresh->event.kind == REQUESTS_READ && fresh->event.arrived >= least &&
		    fresh->event.arrived < oldest)
			oldest = fresh->event.arrived;
	return oldest > requests->forgotten ? oldest : requests->forgotten;
}

#define forget(list, is_old) \
	({ \
		size_t _n = 0, _all = (list)->n; \
		vec_each(it, list) \
			if (!(is_old)) \
				(list)->v[_n++] = *it; \
		(list)->n = _n; \
		_all - _n; \
	})

/* Threads come and go: one that has nothing takes no room. */
#define release(list) (free((list)->v), memset(list, 0, sizeof(*(list))))

/* Requests that have arrived before are not split. */
static void forget_before(struct requests *requests, uint64_t time)
{
	requests->forgotten = time;
	vec_each(thread, &requests->threads) {
		requests->kept -= forget(&thread->links, it->ran_at < time);
		requests->kept -= forget(&thread->samples, it->time < time);
		requests->kept -= forget(&thread->anchors, it->time < time);
		if (!thread->links.n)
			release(&thread->links);
		if (!thread->samples.n)
			release(&thread->samples);
		if (!thread->anchors.n)
			release(&thread->anchors);
	}
	forget(&requests->losses, it->to < time);
}

/* Requests that last for long are not worth it: the older half of the time goes, until there is room. */
static void forget_halves(struct requests *requests, uint64_t until)
{
	const size_t most = requests->limits.kept / 4 * 3;

	while (requests->kept > most && requests->forgotten < until)
		forget_before(requests, requests->forgotten + (until - requests->forgotten + 1) / 2);
}

/* --- numbers --- */

/* Keeps the members of a set that have new numbers. */
static void keep_members(struct set *set, const uint32_t *numbers)
{
	struct set left = {};

	for (size_t i = 0; i < set->n; i++)
		if (numbers[i] != SET_NONE)
			set_add(&left, set->v[i].bytes, set->v[i].len);
	set_release(set);
	*set = left;
}

/* The new numbers of a list, in the same order; `it` is an element. The list has no others then. */
#define renumber(list, is_kept) \
	({ \
		uint32_t *_numbers = base_alloc(((list)->n + 1) * sizeof(*_numbers)); \
		size_t _n = 0; \
		vec_each(it, list) { \
			_numbers[it - (list)->v] = (is_kept) ? _n : SET_NONE; \
			if (is_kept) \
				(list)->v[_n++] = *it; \
		} \
		(list)->n = _n; \
		_numbers; \
	})

static void forget_threads(struct requests *requests)
{
	__free uint32_t *numbers = renumber(&requests->threads, it->links.n || it->samples.n || it->anchors.n);

	keep_members(&requests->tids, numbers);
}

static void forget_behinds(struct requests *requests)
{
	const struct requests_owner nobody = {};
	__free uint32_t *numbers = NULL;

	vec_each(behind, &requests->behinds) {
		if (!requests_open_of(requests, &behind->dialed_by))
			behind->dialed_by = nobody;
		if (!requests_open_of(requests, &behind->asked_by))
			behind->asked_by = nobody;
	}
	numbers = renumber(&requests->behinds, it->dialed_by.request || it->asked_by.request);
	keep_members(&requests->behind_socks, numbers);
}

void requests_forget_connections(struct requests *requests, uint64_t unused, uint64_t unanswered)
{
	__free bool *anchored = base_alloc(requests->connections.n + 1);
	__free uint32_t *numbers = NULL;

	vec_each(thread, &requests->threads)
		vec_each(anchor, &thread->anchors)
			anchored[anchor->connection] = true;
	vec_each(open, &requests->connections)
		if (open->number && open->used < unanswered)
			requests_abandon(requests, open);
	/* owners whose requests last keep their connections */
	forget_behinds(requests);
	numbers = renumber(&requests->connections,
			   it->number || it->used >= unused || anchored[it - requests->connections.v]);
	keep_members(&requests->socks, numbers);
	vec_each(thread, &requests->threads)
		vec_each(anchor, &thread->anchors)
			anchor->connection = numbers[anchor->connection];
	vec_each(behind, &requests->behinds) {
		behind->dialed_by.connection = behind->dialed_by.request ? numbers[behind->dialed_by.connection] : 0;
		behind->asked_by.connection = behind->asked_by.request ? numbers[behind->asked_by.connection] : 0;
	}
}

/* How many there are when this is done next. */
static size_t next_of(size_t left)
{
	return 2 * left > MOST_NUMBERS ? 2 * left : MOST_NUMBERS;
}

void requests_keep_since(struct requests *requests, uint64_t since)
{
	requests->unread = since;
}

void requests_forget(struct requests *requests, uint64_t until)
{
	if (++requests->settled % CALLS && requests->kept < requests->limits.kept)
		return;
	/* at the end there is nothing to make room for */
	if (until == UINT64_MAX)
		return;
	forget_before(requests, find_oldest(requests, until));
	if (requests->kept >= requests->limits.kept)
		forget_halves(requests, until);
	if (requests->threads.n >= next_of(requests->left_threads)) {
		forget_threads(requests);
		requests->left_threads = requests->threads.n;
	}
	if (requests->connections.n + requests->behinds.n >= next_of(requests->left_sockets)) {
		requests_forget_connections(requests, before(until, UNUSED), before(until, UNANSWERED));
		requests->left_sockets = requests->connections.n + requests->behinds.n;
	}
}
