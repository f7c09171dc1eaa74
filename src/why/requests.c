// SPDX-License-Identifier: BSD-2-Clause
/* The exchange machine (requests.h): puts what threads and connections did in order, and finds requests in it. */
#include "requests_part.h"

/* The most requests that are kept, and links and anchors for those that last. */
#define MOST_REQUESTS (1024 * 1024)
#define MOST_KEPT     (1024 * 1024)
/* Every so many calls, what no request needs any more is thrown away. */
#define SETTLES 25

struct requests_fresh {
	uint64_t time;
	bool is_link;
	union {
		struct requests_link link;
		struct requests_event event;
	};
};

struct requests *requests_new(const struct requests_classes *classes)
{
	struct requests *requests = base_alloc(sizeof(*requests));

	requests->classes = *classes;
	return requests;
}

void requests_free(struct requests *requests)
{
	if (!requests)
		return;
	vec_each(thread, &requests->threads) {
		free(thread->links.v);
		free(thread->anchors.v);
	}
	free(requests->threads.v);
	free(requests->fresh.v);
	free(requests->connections.v);
	free(requests->behinds.v);
	set_release(&requests->behind_socks);
	free(requests->over.v);
	free(requests->done.v);
	free(requests->parts.v);
	free(requests->losses.v);
	set_release(&requests->tids);
	set_release(&requests->socks);
	free(requests);
}

/* --- what comes --- */

void requests_add_link(struct requests *requests, const struct requests_link *link)
{
	struct requests_fresh *fresh = vec_push(&requests->fresh);

	*fresh = (struct requests_fresh){ .time = link->ran_at, .is_link = true, .link = *link };
	/* times are in order whatever the clocks of the processors say */
	if (link->off_at > link->ran_at || link->born)
		fresh->link.off_at = link->ran_at;
	if (link->woken_at > link->ran_at || link->born)
		fresh->link.woken_at = link->ran_at;
	if (fresh->link.woken_at < fresh->link.off_at)
		fresh->link.woken_at = fresh->link.off_at;
}

void requests_add_event(struct requests *requests, const struct requests_event *event)
{
	*vec_push(&requests->fresh) = (struct requests_fresh){ .time = event->time, .event = *event };
}

void requests_add_loss(struct requests *requests, uint64_t from, uint64_t to)
{
	*vec_push(&requests->losses) = (struct requests_loss){ from, to };
}

static struct requests_thread *thread_of(struct requests *requests, uint32_t tid)
{
	uint32_t number = set_add(&requests->tids, &tid, sizeof(tid));

	return number < requests->threads.n ? &requests->threads.v[number] : vec_push(&requests->threads);
}

static void keep_link(struct requests *requests, const struct requests_link *link)
{
	struct requests_thread *thread = thread_of(requests, link->tid);

	*vec_push(&thread->links) = *link;
	requests->kept++;
}

/* The last send of a request is known only when the next one comes. */
static void keep_anchor(struct requests *requests, uint32_t tid, uint64_t time, const struct requests_open *open)
{
	struct requests_thread *thread = thread_of(requests, tid);
	size_t at;

	vec_push(&thread->anchors);
	for (at = thread->anchors.n - 1; at && thread->anchors.v[at - 1].time > time; at--)
		thread->anchors.v[at] = thread->anchors.v[at - 1];
	thread->anchors.v[at] = (struct requests_anchor){
		.time = time,
		.request = open->number,
		.connection = open - requests->connections.v,
	};
	requests->kept++;
}

/* --- requests --- */

static bool overlaps_loss(const struct requests *requests, uint64_t from, uint64_t to)
{
	if (from < requests->forgotten)
		return true;
	vec_each(loss, &requests->losses)
		if (loss->from < to && loss->to > from)
			return true;
	return false;
}

static void finish(struct requests *requests, const struct requests_over *over)
{
	const struct requests_open *open = &over->open;
	const uint64_t ended = open->points[open->n - 1].time;
	struct requests_request *request;

	if (requests->done.n == MOST_REQUESTS) {
		requests->counts.not_kept++;
		return;
	}
	requests->counts.merged += over->merged != 0;
	request = vec_push(&requests->done);
	*request = (struct requests_request){
		.arrived = open->arrived,
		.ns = ended > open->arrived ? ended - open->arrived : 0,
		.client_ns = over->client_at > open->arrived ? over->client_at - open->arrived : 0,
		.from = over->from,
		.merged = over->merged,
		.part = requests->parts.n,
	};
	if (overlaps_loss(requests, open->arrived, ended))
		requests->counts.not_cut++;
	else
		request->behind = requests_cut(requests, open);
	request->n_parts = requests->parts.n - request->part;
}

static void add_point(struct requests *requests, struct requests_open *open, const struct requests_point *point)
{
	const bool is_behind = point->kind == REQUESTS_ASK || point->kind == REQUESTS_GET;
	const struct requests_point *last = open->n ? &open->points[open->n - 1] : NULL;

	if (last && point->time <= last->time)
		return;
	/* the last two are of the answer */
	if (!is_behind && open->n < REQUESTS_POINTS)
		open->n++;
	else if (is_behind && open->n < REQUESTS_POINTS - 2)
		open->n++;
	else if (is_behind && (last->kind != point->kind || last->kind == REQUESTS_SEND))
		return;
	open->points[open->n - 1] = *point;
	keep_anchor(requests, point->tid, point->time, open);
}

static struct requests_point point_of(const struct requests_event *event)
{
	return (struct requests_point){
		.time = event->time,
		.arrived = event->arrived,
		.tid = event->tid,
		.from = event->from,
		.kind = event->kind,
	};
}

/*
 * The last byte was sent at sent_at. A client of this machine may have read it before: a send wakes it, and it can take
 * the sender's processor before that comes back.
 */
static void end_points(struct requests *requests, struct requests_open *open, const struct requests_event *event)
{
	const uint64_t read_at = open->points[0].time;
	struct requests_point point = point_of(event);
	uint64_t ended = event->sent_at;

	if (event->client_at > read_at && event->client_at < ended)
		ended = event->client_at;
	for (size_t i = 1; i < open->n; i++)
		if (open->points[i].time > ended)
			open->points[i].time = ended;
	point.time = ended;
	add_point(requests, open, &point);
}

static void abandon(struct requests *requests, struct requests_open *open)
{
	requests->counts.unanswered += open->number != 0;
	open->number = 0;
}

static void begin(struct requests *requests, struct requests_open *open, const struct requests_event *event)
{
	const struct requests_point point = point_of(event);

	abandon(requests, open);
	requests->counts.connections += open->birth != event->birth;
	*open = (struct requests_open){
		.number = ++requests->numbers,
		.birth = event->birth,
		.arrived = event->arrived,
		.round = event->round,
	};
	add_point(requests, open, &point);
}

/* --- servers behind --- */

/* NULL: it is over. */
static struct requests_open *open_of(const struct requests *requests, const struct requests_owner *owner)
{
	struct requests_open *open = owner->request ? &requests->connections.v[owner->connection] : NULL;

	return open && open->number == owner->request ? open : NULL;
}

static bool is_answered(const struct requests_open *open)
{
	for (size_t i = 0; i < open->n; i++)
		if (open->points[i].kind == REQUESTS_SEND)
			return true;
	return false;
}

static bool has_rested(const struct requests *requests, const struct requests_thread *thread, uint64_t since)
{
	for (size_t i = thread->links.n; i-- > 0 && thread->links.v[i].ran_at > since;)
		if (requests->classes.rests >> thread->links.v[i].class & 1 && !thread->links.v[i].born)
			return true;
	return false;
}

/* For which request a thread works: that for which it last did something. One that serves a single connection may rest. */
static struct requests_owner owner_of(const struct requests *requests, uint32_t tid)
{
	const struct requests_thread *thread = requests_thread_of(requests, tid);
	const struct requests_anchor *last = thread && thread->anchors.n ? &thread->anchors.v[thread->anchors.n - 1] : NULL;
	const bool serves_one = last && thread->anchors.n > 1 && last[-1].connection == last->connection;
	struct requests_owner owner = {};
	const struct requests_open *open;

	if (!last || (!serves_one && has_rested(requests, thread, last->time)))
		return owner;
	owner = (struct requests_owner){ last->request, last->connection };
	open = open_of(requests, &owner);
	return open && !is_answered(open) ? owner : (struct requests_owner){};
}

static void take_behind(struct requests *requests, const struct requests_event *event)
{
	uint32_t number = set_add(&requests->behind_socks, &event->sock, sizeof(event->sock));
	struct requests_behind *behind = number < requests->behinds.n ? &requests->behinds.v[number]
								      : vec_push(&requests->behinds);
	const struct requests_point point = point_of(event);
	struct requests_open *open;

	if (behind->birth != event->birth)
		*behind = (struct requests_behind){ .birth = event->birth };
	if (event->kind == REQUESTS_DIAL) {
		behind->dialed_by = owner_of(requests, event->tid);
		return;
	}
	if (event->kind == REQUESTS_ASK) {
		/* between connect and the first send a loop may have done something for others */
		behind->asked_by = open_of(requests, &behind->dialed_by) ? behind->dialed_by
									 : owner_of(requests, event->tid);
		behind->dialed_by = (struct requests_owner){};
	}
	open = open_of(requests, &behind->asked_by);
	if (open)
		add_point(requests, open, &point);
}

static void take_own(struct requests *requests, const struct requests_event *event)
{
	const struct requests_point point = point_of(event);
	uint32_t number = set_add(&requests->socks, &event->sock, sizeof(event->sock));
	struct requests_open *open = number < requests->connections.n ? &requests->connections.v[number]
								      : vec_push(&requests->connections);
	const bool is_open = open->number && open->birth == event->birth && open->round == event->round;

	if (event->kind == REQUESTS_READ) {
		begin(requests, open, event);
	} else if (is_open && event->kind == REQUESTS_SEND) {
		add_point(requests, open, &point);
	} else if (is_open && !event->sent_at) {
		abandon(requests, open);
	} else if (is_open) {
		end_points(requests, open, event);
		*vec_push(&requests->over) = (struct requests_over){
			.open = *open,
			.client_at = event->client_at,
			.from = event->from,
			.merged = event->merged,
		};
		open->number = 0;
	}
}

/* --- order --- */

static int by_time(const void *pa, const void *pb)
{
	const struct requests_fresh *a = pa, *b = pb;

	if (a->time != b->time)
		return a->time > b->time ? 1 : -1;
	/* of one connection, the end comes before the next begin */
	return (int)b->is_link - (int)a->is_link;
}

/* What nobody needs: before the begin of all requests that last. */
static uint64_t find_oldest(const struct requests *requests, uint64_t until)
{
	uint64_t oldest = until;

	vec_each(open, &requests->connections)
		if (open->number && open->arrived < oldest)
			oldest = open->arrived;
	return oldest;
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

static void forget_before(struct requests *requests, uint64_t time)
{
	vec_each(thread, &requests->threads) {
		requests->kept -= forget(&thread->links, it->ran_at < time);
		requests->kept -= forget(&thread->anchors, it->time < time);
		if (!thread->links.n)
			release(&thread->links);
		if (!thread->anchors.n)
			release(&thread->anchors);
	}
	forget(&requests->losses, it->to < time);
}

void requests_settle(struct requests *requests, uint64_t until)
{
	size_t later = 0;

	if (requests->fresh.n)
		qsort(requests->fresh.v, requests->fresh.n, sizeof(*requests->fresh.v), by_time);
	vec_each(fresh, &requests->fresh) {
		if (fresh->time > until)
			requests->fresh.v[later++] = *fresh;
		else if (fresh->is_link)
			keep_link(requests, &fresh->link);
		else if (fresh->event.kind <= REQUESTS_DONE)
			take_own(requests, &fresh->event);
		else
			take_behind(requests, &fresh->event);
	}
	requests->fresh.n = later;
	vec_each(over, &requests->over)
		finish(requests, over);
	requests->over.n = 0;
	if (++requests->settled % SETTLES && requests->kept < MOST_KEPT)
		return;
	forget_before(requests, find_oldest(requests, until));
	/* a request that lasts for long is not worth it */
	if (requests->kept >= MOST_KEPT) {
		requests->forgotten = until;
		forget_before(requests, until);
	}
}

/* --- results --- */

const struct requests_request *requests_all(const struct requests *requests, size_t *n)
{
	*n = requests->done.n;
	return requests->done.v;
}

const struct requests_part *requests_parts(const struct requests *requests)
{
	return requests->parts.v;
}

struct requests_counts requests_count(const struct requests *requests)
{
	struct requests_counts counts = requests->counts;

	vec_each(open, &requests->connections)
		counts.unanswered += open->number != 0;
	return counts;
}
