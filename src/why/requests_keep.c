// SPDX-License-Identifier: BSD-2-Clause
/*
 * What is kept of requests that are over (requests.h): counts of all; of their times and of their parts samples that have
 * a bound, once there are more; and the slowest ones.
 */
#include "requests_part.h"

/* Steps of the slowest are at least this part of the request. */
#define SHORTEST_STEP 200

static uint64_t next_random(struct requests *requests)
{
	uint64_t x = requests->random;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return requests->random = x;
}

/*
 * The place of the n-th of all, from 1, in a sample of `most`: each one has the same chance to be there in the end.
 * SIZE_MAX: it has none.
 */
static size_t draw_place(struct requests *requests, uint64_t n, size_t most)
{
	uint64_t at = n <= most ? n - 1 : next_random(requests) % n;

	return at < most ? at : SIZE_MAX;
}

static void release_request(struct requests_request *request)
{
	free(request->parts);
	free(request->steps);
}

static void *copy(const void *from, size_t n, size_t size)
{
	void *to = n ? base_alloc(n * size) : NULL;

	if (n)
		memcpy(to, from, n * size);
	return to;
}

static struct requests_request copy_request(const struct requests *requests, const struct requests_request *request,
					    bool steps)
{
	struct requests_request own = *request;

	own.n_parts = requests->parts.n;
	own.n_steps = steps ? requests->steps.n : 0;
	own.parts = copy(requests->parts.v, own.n_parts, sizeof(*own.parts));
	own.steps = copy(requests->steps.v, own.n_steps, sizeof(*own.steps));
	return own;
}

static void count(struct requests *requests, const struct requests_request *request)
{
	struct requests_counts *counts = &requests->counts;
	struct requests_group *group;

	counts->requests++;
	counts->ns += request->ns;
	counts->max = request->ns > counts->max ? request->ns : counts->max;
	counts->with_client += request->client_ns != 0;
	counts->merged += request->merged != 0;
	if (request->group == REQUESTS_NONE)
		return;
	while (requests->groups.n <= request->group)
		vec_push(&requests->groups);
	group = &requests->groups.v[request->group];
	group->n++;
	group->ns += request->ns;
	group->max = request->ns > group->max ? request->ns : group->max;
}

static void keep_time(struct requests *requests, const struct requests_request *request)
{
	const struct requests_time time = { request->ns, request->client_ns, request->group };
	size_t at = draw_place(requests, requests->counts.requests, requests->limits.times);

	if (at == requests->times.n)
		*vec_push(&requests->times) = time;
	else if (at != SIZE_MAX)
		requests->times.v[at] = time;
}

/* Whether it is among the slowest: its place; SIZE_MAX: it is not. */
static size_t find_slowest(const struct requests *requests, uint64_t ns)
{
	size_t at = requests->slowest.n;

	while (at && requests->slowest.v[at - 1].ns < ns)
		at--;
	return at < requests->limits.slowest ? at : SIZE_MAX;
}

static void keep_slowest(struct requests *requests, size_t at, const struct requests_request *request)
{
	if (requests->slowest.n < requests->limits.slowest)
		vec_push(&requests->slowest);
	else
		release_request(&requests->slowest.v[requests->slowest.n - 1]);
	memmove(&requests->slowest.v[at + 1], &requests->slowest.v[at],
		(requests->slowest.n - at - 1) * sizeof(requests->slowest.v[0]));
	requests->slowest.v[at] = copy_request(requests, request, true);
}

static void keep_split(struct requests *requests, size_t at, const struct requests_request *request)
{
	if (at == requests->split.n)
		vec_push(&requests->split);
	else
		release_request(&requests->split.v[at]);
	requests->split.v[at] = copy_request(requests, request, false);
}

void requests_keep(struct requests *requests, const struct requests_over *over, bool has_loss)
{
	const struct requests_open *open = &over->open;
	const struct requests_point *last = &open->points[open->n - 1];
	struct requests_request request = {
		.arrived = open->arrived,
		.ns = last->time > open->arrived ? last->time - open->arrived : 0,
		.client_ns = over->client_at > open->arrived ? over->client_at - open->arrived : 0,
		.from = over->from,
		.group = over->group,
		.tid = last->tid,
		.merged = over->merged,
	};
	size_t at, slow;

	count(requests, &request);
	keep_time(requests, &request);
	if (request.ns < requests->limits.slower)
		return;
	requests->counts.slower++;
	requests->counts.not_cut += has_loss;
	at = draw_place(requests, requests->counts.slower, requests->limits.split);
	slow = find_slowest(requests, request.ns);
	requests->parts.n = requests->steps.n = 0;
	if (!has_loss && (at != SIZE_MAX || slow != SIZE_MAX))
		request.behind = requests_cut(requests, open,
					      slow != SIZE_MAX ? request.ns / SHORTEST_STEP + 1 : UINT64_MAX);
	if (at != SIZE_MAX)
		keep_split(requests, at, &request);
	if (slow != SIZE_MAX && !has_loss)
		keep_slowest(requests, slow, &request);
}

static void add_asked(struct requests_done *done, const struct requests_chain *there)
{
	for (size_t i = 0; i < done->n_asked; i++)
		if (done->asked[i].number == there->number)
			return;
	if (done->n_asked < ARRAY_SIZE(done->asked))
		done->asked[done->n_asked++] = (struct requests_asked){ there->number, there->arrived };
}

void requests_hand_out(struct requests *requests, const struct requests_over *over, bool has_loss)
{
	const struct requests_open *open = &over->open;
	const struct requests_point *last = &open->points[open->n - 1];
	struct requests_done done = {
		.sock = over->sock,
		.birth = open->birth,
		.number = open->number,
		.arrived = open->arrived,
		.read_at = open->points[0].time,
		.ended = last->time,
		.from = over->from,
		.at = over->at,
		.tid = last->tid,
		.merged = over->merged,
		.inner = open->inner,
	};
	const uint64_t not_named = requests->counts.not_named;

	if (done.ended <= done.arrived)
		return;
	done.short_one = !done.inner && done.ended - done.arrived < requests->limits.slower;
	requests->parts.n = requests->steps.n = 0;
	if (!has_loss && !done.short_one)
		requests_cut(requests, open, requests->each_steps ? 1 : UINT64_MAX);
	/* requests_keep() counts them */
	requests->counts.not_named = not_named;
	done.parts = requests->parts.v;
	done.n_parts = requests->parts.n;
	done.steps = requests->steps.v;
	done.n_steps = requests->steps.n;
	for (size_t i = 0; i < open->n; i++)
		if (open->points[i].there)
			add_asked(&done, open->points[i].there);
	requests->each(&done, requests->each_ctx);
}

void requests_keep_release(struct requests *requests)
{
	vec_each(request, &requests->split)
		release_request(request);
	vec_each(request, &requests->slowest)
		release_request(request);
	free(requests->split.v);
	free(requests->slowest.v);
	free(requests->times.v);
	free(requests->groups.v);
	free(requests->parts.v);
	free(requests->steps.v);
}

/* --- results --- */

const struct requests_request *requests_split(const struct requests *requests, size_t *n)
{
	*n = requests->split.n;
	return requests->split.v;
}

const struct requests_request *requests_slowest(const struct requests *requests, size_t *n)
{
	*n = requests->slowest.n;
	return requests->slowest.v;
}

const struct requests_time *requests_times(const struct requests *requests, size_t *n)
{
	*n = requests->times.n;
	return requests->times.v;
}

const struct requests_group *requests_groups(const struct requests *requests, size_t *n)
{
	*n = requests->groups.n;
	return requests->groups.v;
}
