// SPDX-License-Identifier: BSD-2-Clause
/* The exchange machine (requests.h): puts what threads and connections did in order, and finds requests in it. */
#include "requests_part.h"

/* What is kept if limits do not say otherwise. */
#define MOST_KEPT  (1024 * 1024)
#define MOST_SPLIT 32768
#define MOST_TIMES 262144

struct requests *requests_new(const struct requests_classes *classes, const struct requests_limits *limits)
{
	struct requests *requests = base_alloc(sizeof(*requests));

	requests->classes = *classes;
	requests->limits = *limits;
	if (!limits->split)
		requests->limits.split = MOST_SPLIT;
	if (!limits->times)
		requests->limits.times = MOST_TIMES;
	if (!limits->kept)
		requests->limits.kept = MOST_KEPT;
	requests->unread = UINT64_MAX;
	requests->random = 1;
	return requests;
}

/* --- requests of servers behind --- */

static void drop_chain(struct requests_chain *chain)
{
	if (!chain || --chain->refs)
		return;
	for (size_t i = 0; i < chain->n; i++)
		drop_chain(chain->points[i].there);
	free(chain);
}

static void drop_points(struct requests_open *open)
{
	for (size_t i = 0; i < open->n; i++)
		drop_chain(open->points[i].there);
	open->n = 0;
}

/* What is known of a request until its answer began. */
static struct requests_chain *make_chain(const struct requests_open *open)
{
	struct requests_chain *chain = base_alloc(sizeof(*chain) + open->n * sizeof(chain->points[0]));

	*chain = (struct requests_chain){ .refs = 1, .number = open->number, .arrived = open->arrived };
	while (chain->n < open->n) {
		const struct requests_point *point = &open->points[chain->n];

		chain->points[chain->n++] = *point;
		if (point->there)
			point->there->refs++;
		if (point->kind == REQUESTS_SEND)
			break;
	}
	return chain;
}

void requests_free(struct requests *requests)
{
	if (!requests)
		return;
	vec_each(thread, &requests->threads) {
		free(thread->links.v);
		free(thread->samples.v);
		free(thread->anchors.v);
	}
	free(requests->threads.v);
	free(requests->fresh.v);
	vec_each(open, &requests->connections)
		drop_points(open);
	free(requests->connections.v);
	free(requests->behinds.v);
	set_release(&requests->behind_socks);
	free(requests->over.v);
	requests_keep_release(requests);
	free(requests->losses.v);
	set_release(&requests->tids);
	set_release(&requests->socks);
	set_release(&requests->ended);
	free(requests);
}

/* --- what comes --- */

void requests_add_link(struct requests *requests, const struct requests_link *link)
{
	struct requests_fresh *fresh = vec_push(&requests->fresh);

	*fresh = (struct requests_fresh){ .time = link->ran_at, .what = REQUESTS_FRESH_LINK, .link = *link };
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
	*vec_push(&requests->fresh) =
		(struct requests_fresh){ .time = event->time, .what = REQUESTS_FRESH_EVENT, .event = *event };
}

void requests_add_sample(struct requests *requests, const struct requests_sample *sample)
{
	*vec_push(&requests->fresh) =
		(struct requests_fresh){ .time = sample->time, .what = REQUESTS_FRESH_SAMPLE, .sample = *sample };
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

static void keep_sample(struct requests *requests, const struct requests_sample *sample)
{
	struct requests_thread *thread = thread_of(requests, sample->tid);

	*vec_push(&thread->samples) = *sample;
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

static void finish(struct requests *requests, struct requests_over *over)
{
	struct requests_open *open = &over->open;
	const bool has_loss = overlaps_loss(requests, open->arrived, open->points[open->n - 1].time);

	if (open->inner)
		requests->counts.inner++;
	else if (!open->aside)
		requests_keep(requests, over, has_loss);
	if (requests->each && (open->inner || !open->aside))
		requests_hand_out(requests, over, has_loss);
	drop_points(open);
}

static void add_point(struct requests *requests, struct requests_open *open, const struct requests_point *point)
{
	const bool is_behind = point->kind == REQUESTS_ASK || point->kind == REQUESTS_GET;
	struct requests_point *last = open->n ? &open->points[open->n - 1] : NULL;

	if (last && point->time <= last->time)
		return;
	/* the last two are of the answer */
	if (!is_behind && open->n < REQUESTS_POINTS)
		last = &open->points[open->n++];
	else if (is_behind && open->n < REQUESTS_POINTS - 2)
		last = &open->points[open->n++];
	else if (is_behind && (last->kind != point->kind || last->kind == REQUESTS_SEND))
		return;
	else
		drop_chain(last->there);
	*last = *point;
	if (last->there)
		last->there->refs++;
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

/* Drops what was after the first send. */
static void end_at_answer(struct requests_open *open)
{
	size_t n = 0;

	while (n < open->n && open->points[n].kind != REQUESTS_SEND)
		n++;
	for (size_t i = n + 1; i < open->n; i++)
		drop_chain(open->points[i].there);
	if (n < open->n)
		open->n = n + 1;
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
	if (requests->limits.first_byte)
		end_at_answer(open);
}

void requests_abandon(struct requests *requests, struct requests_open *open)
{
	requests->counts.unanswered += open->number && !open->aside;
	drop_points(open);
	open->number = 0;
}

static void begin(struct requests *requests, struct requests_open *open, const struct requests_event *event)
{
	const struct requests_point point = point_of(event);

	requests_abandon(requests, open);
	*open = (struct requests_open){
		.counted = open->counted,
		.used = open->used,
		.number = ++requests->numbers,
		.birth = event->birth,
		.arrived = event->arrived,
		.round = event->round,
		.aside = event->aside,
	};
	add_point(requests, open, &point);
}

/* --- servers behind --- */

struct requests_open *requests_open_of(const struct requests *requests, const struct requests_owner *owner)
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
	open = requests_open_of(requests, &owner);
	return open && !is_answered(open) ? owner : (struct requests_owner){};
}

/* The request that has got this answer, as far as it is known at the server behind. */
static struct requests_open *find_there(struct requests *requests, const struct requests_there *there)
{
	uint32_t number = there->sock ? set_find(&requests->socks, &there->sock, sizeof(there->sock)) : SET_NONE;
	struct requests_open *open = number == SET_NONE ? NULL : &requests->connections.v[number];

	return open && open->number && open->birth == there->birth && open->round == there->round ? open : NULL;
}

static void take_behind(struct requests *requests, const struct requests_event *event)
{
	uint32_t number = set_add(&requests->behind_socks, &event->sock, sizeof(event->sock));
	struct requests_behind *behind = number < requests->behinds.n ? &requests->behinds.v[number]
								      : vec_push(&requests->behinds);
	struct requests_point point = point_of(event);
	struct requests_open *open, *there;

	if (behind->birth != event->birth)
		*behind = (struct requests_behind){ .birth = event->birth };
	if (event->kind == REQUESTS_DIAL) {
		behind->dialed_by = owner_of(requests, event->tid);
		return;
	}
	if (event->kind == REQUESTS_ASK) {
		/* between connect and the first send a loop may have done something for others */
		behind->asked_by = requests_open_of(requests, &behind->dialed_by)
					   ? behind->dialed_by
					   : owner_of(requests, event->tid);
		behind->dialed_by = (struct requests_owner){};
	}
	open = requests_open_of(requests, &behind->asked_by);
	if (!open)
		return;
	there = event->kind == REQUESTS_GET ? find_there(requests, &event->there) : NULL;
	if (there && there != open) {
		there->inner = true;
		point.there = make_chain(there);
	}
	add_point(requests, open, &point);
	drop_chain(point.there);
}

static void take_own(struct requests *requests, const struct requests_event *event)
{
	const struct requests_point point = point_of(event);
	uint32_t number = set_add(&requests->socks, &event->sock, sizeof(event->sock));
	struct requests_open *open = number < requests->connections.n ? &requests->connections.v[number]
								      : vec_push(&requests->connections);
	const bool is_open = open->number && open->birth == event->birth && open->round == event->round;

	open->used = event->time;
	if (event->kind == REQUESTS_READ) {
		/* at a unix socket, its arrival and its read may both have written this */
		if (!is_open)
			begin(requests, open, event);
	} else if (is_open && event->kind == REQUESTS_SEND) {
		add_point(requests, open, &point);
	} else if (is_open && !event->sent_at) {
		requests_abandon(requests, open);
	} else if (is_open) {
		end_points(requests, open, event);
		*vec_push(&requests->over) = (struct requests_over){
			.open = *open,
			.sock = event->sock,
			.client_at = requests->limits.first_byte ? 0 : event->client_at,
			.from = event->from,
			.group = event->group,
			.at = event->at,
			.merged = event->merged,
		};
		if (!open->aside && !open->inner && open->counted != open->birth) {
			requests->counts.connections++;
			open->counted = open->birth;
		}
		/* its points are that one's now */
		open->number = open->n = 0;
	}
}

/* --- order --- */

static int by_time(const void *pa, const void *pb)
{
	const struct requests_fresh *a = pa, *b = pb;

	if (a->time != b->time)
		return a->time > b->time ? 1 : -1;
	if (a->what != REQUESTS_FRESH_EVENT || b->what != REQUESTS_FRESH_EVENT)
		return (int)a->what - (int)b->what;
	/* of one connection, a request is over before the next one is read */
	if (a->event.sock != b->event.sock)
		return a->event.sock > b->event.sock ? 1 : -1;
	if (a->event.birth != b->event.birth)
		return a->event.birth > b->event.birth ? 1 : -1;
	if (a->event.round != b->event.round)
		return a->event.round > b->event.round ? 1 : -1;
	return (int)a->event.kind - (int)b->event.kind;
}

void requests_settle(struct requests *requests, uint64_t until)
{
	size_t later = 0;

	if (requests->fresh.n)
		qsort(requests->fresh.v, requests->fresh.n, sizeof(*requests->fresh.v), by_time);
	vec_each(fresh, &requests->fresh) {
		if (fresh->time > until)
			requests->fresh.v[later++] = *fresh;
		else if (fresh->what == REQUESTS_FRESH_LINK)
			keep_link(requests, &fresh->link);
		else if (fresh->what == REQUESTS_FRESH_SAMPLE)
			keep_sample(requests, &fresh->sample);
		else if (fresh->event.kind <= REQUESTS_DONE)
			take_own(requests, &fresh->event);
		else
			take_behind(requests, &fresh->event);
	}
	requests->fresh.n = later;
	vec_each(over, &requests->over)
		finish(requests, over);
	requests->over.n = 0;
	requests_forget(requests, until);
}

void requests_each(struct requests *requests, void (*each)(const struct requests_done *done, void *ctx), void *ctx,
		   bool steps)
{
	requests->each = each;
	requests->each_ctx = ctx;
	requests->each_steps = steps;
}

/* --- results --- */

struct requests_counts requests_count(const struct requests *requests)
{
	struct requests_counts counts = requests->counts;

	vec_each(open, &requests->connections)
		counts.open += open->number && !open->aside;
	counts.unanswered += counts.open;
	return counts;
}
