// SPDX-License-Identifier: BSD-2-Clause
/* Cuts a request into parts (requests.h). Knows threads and points, not where they come from. */
#include "base/clock.h"
#include "requests_part.h"

struct cut {
	struct requests *requests;
	uint64_t number;
	uint64_t from, to; /* what is outside is left out */
	uint64_t least;	   /* shorter steps are left out, unless they go on */
	uint32_t server;   /* of a request behind the one that is cut */
	int deep;
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

/* The first sample that is not before a time. */
static size_t find_sample(const struct requests_thread *thread, uint64_t time)
{
	size_t low = 0, high = thread ? thread->samples.n : 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (thread->samples.v[middle].time < time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* But for the object. */
static bool is_alike(const struct requests_state *a, const struct requests_state *b)
{
	return a->where == b->where && a->class == b->class && a->inner == b->inner && a->via == b->via && a->tid == b->tid &&
	       a->server == b->server && a->ended == b->ended;
}

static bool is_same(const struct requests_state *a, const struct requests_state *b)
{
	return is_alike(a, b) && a->object == b->object;
}

/* Both are of one time that a thread runs. */
static bool is_one_run(const struct requests_step *a, const struct requests_step *b, uint8_t running)
{
	return a->to == b->from && a->state.class == running && is_alike(&a->state, &b->state);
}

size_t requests_run(const struct requests_step *steps, size_t n, uint8_t running)
{
	size_t i = 1;

	while (i < n && is_one_run(&steps[i - 1], &steps[i], running))
		i++;
	return i;
}

/* Of a request with more parts, what the further ones were for, and who held them up, is not told apart. */
#define MOST_PARTS 1024
/* Samples leave room for what threads waited for. */
#define MOST_RUNS 512

/* One part for each state of a request. */
static void add_part(struct requests *requests, const struct requests_state *from, uint64_t ns)
{
	struct requests_state rest = *from;
	const bool runs = from->class == requests->classes.running;
	const struct requests_state *state = requests->parts.n < (runs ? MOST_RUNS : MOST_PARTS) ? from : &rest;

	rest.object = REQUESTS_NONE;
	rest.ended = requests->parts.n < MOST_PARTS ? rest.ended : 0;
	vec_each(it, &requests->parts) {
		if (is_same(&it->state, state)) {
			it->ns += ns;
			return;
		}
	}
	*vec_push(&requests->parts) = (struct requests_part){ *state, ns };
}

/* The last step, with those before it that are one with it, may be short: then it goes. */
static void drop_short(struct requests *requests, uint64_t least)
{
	const struct requests_step *steps = requests->steps.v;
	size_t n = requests->steps.n, first = n;

	if (!n)
		return;
	while (--first && is_one_run(&steps[first - 1], &steps[first], requests->classes.running))
		;
	if (steps[n - 1].to - steps[first].from < least)
		requests->steps.n = first;
}

/* A short one is thrown away when the next one comes. */
static void add_step(const struct cut *cut, const struct requests_step *step)
{
	struct requests *requests = cut->requests;
	struct requests_step *last = requests->steps.n ? &requests->steps.v[requests->steps.n - 1] : NULL;

	if (last && last->to == step->from && last->stack == step->stack && is_same(&last->state, &step->state)) {
		last->to = step->to;
		return;
	}
	if (!last || !is_one_run(last, step, requests->classes.running))
		drop_short(requests, cut->least);
	*vec_push(&requests->steps) = *step;
}

/* A state between two times. */
static void add_time(const struct cut *cut, const struct requests_step *step)
{
	struct requests_step own = *step;

	own.from = own.from < cut->from ? cut->from : own.from;
	own.to = own.to > cut->to ? cut->to : own.to;
	if (own.to <= own.from)
		return;
	if (cut->deep) {
		if (own.state.where != REQUESTS_BEHIND) {
			own.state.inner = own.state.where;
			own.state.server = cut->server;
		}
		own.state.where = REQUESTS_BEHIND;
	}
	add_part(cut->requests, &own.state, own.to - own.from);
	if (cut->least != UINT64_MAX)
		add_step(cut, &own);
}

struct span {
	uint64_t from, to;
	uint64_t until; /* sleeps that are tried again count up to then; 0: up to `to` */
	uint32_t tid;
	uint8_t where;
	uint8_t via;
	struct requests_ended ended; /* which sleeps were followed to it */
};

/* More different ones are not kept apart: 3 MB. */
#define MOST_ENDED 65536

struct what {
	uint8_t class;
	uint32_t object;
	uint64_t stack;
	bool asleep;
};

const struct requests_ended *requests_ended(const struct requests *requests, uint32_t number)
{
	return number ? (const void *)requests->ended.v[number - 1].bytes : NULL;
}

static uint32_t number_of(struct requests *requests, const struct requests_ended *ended)
{
	const uint32_t number = ended->n ? set_add_most(&requests->ended, ended, sizeof(*ended), MOST_ENDED) : SET_NONE;

	requests->counts.not_named += ended->n && number == SET_NONE;
	return number == SET_NONE ? 0 : number + 1;
}

/* Whether the thread did something for the same other request before and after. */
static bool is_within_another(const struct cut *cut, uint32_t tid, uint64_t from, uint64_t to)
{
	const struct requests_thread *thread = requests_thread_of(cut->requests, tid);
	const size_t after = find_anchor(thread, from);

	if (!after || after >= thread->anchors.n || thread->anchors.v[after].time < to)
		return false;
	return thread->anchors.v[after].request == thread->anchors.v[after - 1].request &&
	       thread->anchors.v[after].request != cut->number;
}

/* One state of the thread, up to `to` or the end of the span. Moves the begin of the span. */
static void add_state(struct cut *cut, struct span *span, uint64_t to, struct what what)
{
	struct requests_step step = {
		.state = { .tid = span->tid, .object = what.object, .where = span->where, .class = what.class },
		.from = span->from,
		.stack = what.stack,
	};

	if (to > span->to)
		to = span->to;
	if (to <= span->from)
		return;
	/* who has nothing to do is not held up by others */
	step.state.via = span->ended.n ? span->via : REQUESTS_DIRECT;
	step.state.ended = number_of(cut->requests, &span->ended);
	if (what.asleep && span->where == REQUESTS_QUEUE && cut->requests->classes.rests >> what.class & 1 &&
	    (what.class == cut->requests->classes.poll || !is_within_another(cut, span->tid, span->from, to)))
		step.state.where = REQUESTS_UNKNOWN;
	step.to = to;
	add_time(cut, &step);
	span->from = to;
}

/* A sample tells no more than where the thread was so long before and after it. */
#define SAMPLE_NS (4 * NS_PER_MS)

/* The thread runs, up to `to` or the end of the span. Moves the begin of the span. */
static void add_run(struct cut *cut, struct span *span, const struct requests_thread *thread, uint64_t to)
{
	const struct what runs = { .class = cut->requests->classes.running, .object = REQUESTS_NONE };

	if (to > span->to)
		to = span->to;
	for (size_t i = find_sample(thread, span->from); thread && i < thread->samples.n; i++) {
		const struct requests_sample *sample = &thread->samples.v[i];
		struct what there = { runs.class, sample->object, sample->stack, false };
		uint64_t until = sample->time + SAMPLE_NS;

		if (sample->time >= to)
			break;
		add_state(cut, span, sample->time > SAMPLE_NS ? sample->time - SAMPLE_NS : 0, runs);
		if (i + 1 < thread->samples.n && sample[1].time < to && (sample->time + sample[1].time) / 2 < until)
			until = (sample->time + sample[1].time) / 2;
		add_state(cut, span, until < to ? until : to, there);
	}
	add_state(cut, span, to, runs);
}

static void add_span(struct cut *cut, struct span span);

/* Whoever waits for so long at most, and does it again at the same place so soon after, has not got it. */
#define AGAIN_NS (2 * NS_PER_MS)
/* So often is looked at: each of these sleeps looks for itself. */
#define MOST_AGAIN 1000

static bool is_lock(const struct requests_classes *classes, const struct requests_link *link)
{
	return classes->locks >> link->class & 1 ||
	       (classes->is_lock && link->object != REQUESTS_NONE && classes->is_lock(link->object, classes->ctx));
}

/* Whether the second sleep goes on with what the first one, which ended by its time, has waited for. */
static bool goes_on(const struct requests_link *link, const struct requests_link *next)
{
	return next->class == link->class && (next->stack || link->stack) &&
	       (next->stack == link->stack || !next->stack || !link->stack);
}

/*
 * Between such sleeps the thread may be preempted, and wait for the lock that is in front of what it waits for. That one is
 * not held for long: who waits long for a lock waits for another one.
 */
static bool is_between(const struct requests_classes *classes, const struct requests_link *link)
{
	return link->woken_at == link->off_at ||
	       (classes->locks >> link->class & 1 && link->woken_at - link->off_at <= AGAIN_NS);
}

/* The sleep that goes on with this one in the span, or NULL. */
static const struct requests_link *find_next(const struct requests_classes *classes, const struct requests_link *link,
					     const struct requests_link *end, uint64_t until)
{
	const struct requests_link *next = link;
	uint64_t ran = 0;

	while (++next < end) {
		ran += next->off_at > next[-1].ran_at ? next->off_at - next[-1].ran_at : 0;
		if (next->born || next->off_at >= until || ran > AGAIN_NS)
			return NULL;
		if (goes_on(link, next))
			return next;
		if (!is_between(classes, next))
			return NULL;
	}
	return NULL;
}

/* Timed waits at one place last as long: so is told of those without a stack what they are for. */
static bool lasts_as_long(const struct requests_link *a, const struct requests_link *b)
{
	const uint64_t one = a->woken_at - a->off_at, other = b->woken_at - b->off_at;

	return one <= other + other / 4 && other <= one + one / 4;
}

/* What a sleep was for, which one that went on with it may tell, and when the last of them ended. */
struct end {
	uint32_t object;
	uint64_t at;
	bool of_lock;
};

/*
 * Who ended the sleep. Of one for a lock that ended by its time, and was begun again: who ended the last one in the span.
 * Of others nobody is known to have kept the thread waiting. 0: not known.
 */
static uint32_t find_ender(const struct cut *cut, const struct span *span, const struct requests_thread *thread,
			   const struct requests_link *link, struct end *ended)
{
	const struct requests_classes *classes = &cut->requests->classes;
	const struct requests_link *end = thread->links.v + thread->links.n, *first = link, *next;
	const uint64_t until = span->until ? span->until : span->to;
	bool of_lock = is_lock(classes, link);

	*ended = (struct end){ link->object, link->woken_at, of_lock };
	if (link->waker || (link->stack && !of_lock))
		return link->waker;
	if (end > link + MOST_AGAIN)
		end = link + MOST_AGAIN;
	while (!link->waker && (next = find_next(classes, link, end, until)) != NULL) {
		link = next;
		if (of_lock || link->waker || !link->stack)
			continue;
		if (!lasts_as_long(first, link) || !is_lock(classes, link))
			return 0;
		of_lock = ended->of_lock = true;
		ended->object = link->object;
	}
	ended->at = link->woken_at;
	return of_lock ? link->waker : 0;
}

/* A sleep, or what the thread that ended it was in. Moves the begin of the span. */
static void add_sleep(struct cut *cut, struct span *span, const struct requests_thread *thread, const struct requests_link *link)
{
	struct what sleeps = { link->class, link->object, link->stack, true };
	struct end ended = { .object = link->object };
	const struct requests_thread *waker = NULL;
	const struct requests_classes *classes = &cut->requests->classes;
	struct span other = *span;
	uint32_t ender = 0;
	bool known;

	if (span->where == REQUESTS_OWN && classes->follows >> link->class & 1 &&
	    span->ended.n < REQUESTS_MOST_ENDED)
		ender = find_ender(cut, span, thread, link, &ended);
	sleeps.object = ended.object;
	if (ender)
		waker = requests_thread_of(cut->requests, ender);
	known = waker && waker->links.n;
	if (!ender || ender == span->tid || (!known && !ended.of_lock)) {
		add_state(cut, span, link->woken_at, sleeps);
		return;
	}
	if (other.to > link->woken_at)
		other.to = link->woken_at;
	if (other.to <= other.from)
		return;
	if (!span->ended.n)
		other.via = link->class;
	other.ended.hops[other.ended.n++] = (struct requests_ender){ sleeps.object, ender };
	other.tid = ender;
	other.until = ended.at;
	if (known)
		add_span(cut, other);
	else
		add_state(cut, &other, other.to, (struct what){ classes->unknown, REQUESTS_NONE, 0, false });
	span->from = other.to;
}

/* All states of a thread in a span. */
static void add_span(struct cut *cut, struct span span)
{
	const struct requests_classes *classes = &cut->requests->classes;
	const struct requests_thread *thread = requests_thread_of(cut->requests, span.tid);

	for (size_t i = find_link(thread, span.from); thread && i < thread->links.n && span.from < span.to; i++) {
		const struct requests_link *link = &thread->links.v[i];

		if (link->born) {
			struct span before = span;

			before.where = span.ended.n ? span.where : REQUESTS_ACCEPT;
			add_state(cut, &before, link->ran_at, (struct what){ classes->unknown, REQUESTS_NONE, 0, false });
			span.from = before.from;
			span.where = REQUESTS_OWN;
			continue;
		}
		add_run(cut, &span, thread, link->off_at);
		add_sleep(cut, &span, thread, link);
		add_state(cut, &span, link->ran_at, (struct what){ link->ready_class, link->behind, 0, false });
	}
	add_run(cut, &span, thread, span.to);
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
		if (!cut->deep)
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

static void cut_points(struct cut *cut, const struct requests_point *points, size_t n, uint64_t arrived);

/* The time of a wait for a server behind: of the request there, and on the way. */
static void add_there(const struct cut *cut, const struct requests_point *point, uint64_t from, uint64_t to)
{
	const struct requests_chain *chain = cut->deep < cut->requests->limits.deep ? point->there : NULL;
	struct requests_step step = {
		.state = {
			.tid = point->tid,
			.object = REQUESTS_NONE,
			.server = point->from,
			.where = REQUESTS_BEHIND,
			.class = cut->requests->classes.behind,
			.inner = chain ? REQUESTS_WAY : REQUESTS_BEHIND,
			.via = REQUESTS_DIRECT,
		},
		.from = from,
		.to = to,
	};
	struct cut there = *cut;

	if (!chain) {
		add_time(cut, &step);
		return;
	}
	there.number = chain->number;
	there.server = point->from;
	there.deep++;
	there.from = chain->arrived > from ? chain->arrived : from;
	there.to = chain->points[chain->n - 1].time;
	there.to = there.to > to ? to : there.to;
	if (there.from > to)
		there.from = to;
	if (there.to < there.from)
		there.to = there.from;
	there.from = there.from < cut->from ? cut->from : there.from;
	step.to = there.from;
	add_time(cut, &step);
	if (there.to > cut->to)
		there.to = cut->to;
	if (there.to > there.from)
		cut_points(&there, chain->points, chain->n, chain->arrived);
	step.from = there.to > there.from ? there.to : there.from;
	step.to = to;
	add_time(cut, &step);
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
	add_span(cut, (struct span){ .from = from, .to = forward, .tid = a->tid, .where = REQUESTS_OWN });
	add_there(cut, b, forward, arrived);
	if (!foreign || last < arrived)
		last = arrived;
	add_span(cut, (struct span){ .from = arrived, .to = last, .tid = b->tid, .where = REQUESTS_QUEUE });
	add_span(cut, (struct span){ .from = last, .to = to, .tid = b->tid, .where = REQUESTS_OWN });
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
		add_span(cut, (struct span){ .from = from, .to = to, .tid = b->tid, .where = REQUESTS_OWN });
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
		add_span(cut, (struct span){ .from = from, .to = forward, .tid = a->tid, .where = REQUESTS_OWN });
	add_span(cut, (struct span){ .from = forward, .to = backward, .tid = b->tid, .where = REQUESTS_QUEUE });
	add_span(cut, (struct span){ .from = backward, .to = to, .tid = b->tid, .where = REQUESTS_OWN });
}

static void cut_points(struct cut *cut, const struct requests_point *points, size_t n, uint64_t arrived)
{
	const struct requests_point *before = NULL;
	uint64_t at = arrived;

	for (size_t i = 0; i < n; i++) {
		cut_segment(cut, at, before, &points[i]);
		before = &points[i];
		if (points[i].time > at)
			at = points[i].time;
	}
}

uint32_t requests_cut(struct requests *requests, const struct requests_open *open, uint64_t least)
{
	struct cut cut = { .requests = requests, .number = open->number, .to = UINT64_MAX, .least = least };
	uint32_t behind;

	cut_points(&cut, open->points, open->n, open->arrived);
	drop_short(requests, least);
	behind = requests->foreign.n;
	set_release(&requests->foreign);
	requests->foreign = (struct set){};
	return behind;
}
