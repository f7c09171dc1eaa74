/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests, threads and connections that are made by hand: what tests of the exchange machine share. */
#ifndef SONDE_TESTS_UNIT_REQUESTS_FIXTURE_H
#define SONDE_TESTS_UNIT_REQUESTS_FIXTURE_H

#include <criterion/criterion.h>

#include "base/str.h"
#include "why/requests_part.h"

enum class {
	UNKNOWN,
	RUNNING,
	PROCESSOR,
	DISK,
	POLL,
	CONDITION,
	NETWORK,
	LOCK,
	EVENT,
};

/* What the times of the following functions are multiplied by. */
static uint64_t unit = 1;
/* The object of sleeps. */
static uint32_t for_what = REQUESTS_NONE;
static uint64_t at_stack;

/* An object that is a lock, whatever the class of the sleep. */
#define NAMED_LOCK 77

static inline bool is_lock(uint32_t object, void *ctx)
{
	return object == NAMED_LOCK;
}

static inline struct requests *begin_with(const struct requests_limits *limits)
{
	const struct requests_classes classes = {
		.rests = 1 << POLL | 1 << CONDITION,
		.follows = 1 << LOCK | 1 << EVENT,
		.locks = 1 << LOCK,
		.is_lock = is_lock,
		.behind = NETWORK,
		.running = RUNNING,
		.unknown = UNKNOWN,
		.poll = POLL,
	};

	return requests_new(&classes, limits);
}

static inline struct requests *begin(void)
{
	return begin_with(&(struct requests_limits){ .deep = 5 });
}

static inline void sleeps(struct requests *requests, uint32_t tid, enum class class, uint64_t off_at, uint32_t waker,
			  uint64_t woken_at, uint64_t ran_at)
{
	const struct requests_link link = {
		.off_at = off_at * unit,
		.woken_at = woken_at * unit,
		.ran_at = ran_at * unit,
		.tid = tid,
		.waker = waker,
		.object = for_what,
		.stack = at_stack,
		.behind = REQUESTS_NONE,
		.class = class,
		.ready_class = PROCESSOR,
	};

	requests_add_link(requests, &link);
}

static inline void runs(struct requests *requests, uint32_t tid, uint64_t at, uint32_t object)
{
	const struct requests_sample sample = { .time = at * unit, .stack = object, .tid = tid, .object = object };

	requests_add_sample(requests, &sample);
}

static inline void reads(struct requests *requests, uint64_t sock, uint32_t round, uint64_t arrived, uint32_t tid,
			 uint64_t at)
{
	const struct requests_event event = {
		.kind = REQUESTS_READ,
		.time = at * unit,
		.sock = sock,
		.birth = 1,
		.arrived = arrived * unit,
		.tid = tid,
		.round = round,
	};

	requests_add_event(requests, &event);
}

/* The first bytes at `at`, the last ones at `last`, which are known at `known`. */
static inline void sends(struct requests *requests, uint64_t sock, uint32_t round, uint64_t arrived, uint32_t tid,
			 uint64_t at, uint64_t last, uint64_t known)
{
	struct requests_event event = {
		.kind = REQUESTS_SEND,
		.time = at * unit,
		.sock = sock,
		.birth = 1,
		.arrived = arrived * unit,
		.tid = tid,
		.round = round,
	};

	requests_add_event(requests, &event);
	event.kind = REQUESTS_DONE;
	event.time = known * unit;
	event.sent_at = last * unit;
	requests_add_event(requests, &event);
}

static inline uint64_t sum_of(const struct requests_request *request)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < request->n_parts; i++)
		sum += request->parts[i].ns;
	return sum;
}

/* "WHERE CLASS of TID NS", in the order in which they were found. */
static inline void expect(const struct requests *requests, size_t which, const char *text)
{
	static const char *const wheres[] = { "own", "queue", "accept", "unknown", "behind", "way" };
	static const char *const classes[] = { "unknown", "running", "processor", "disk",
					       "poll", "condition", "network", "lock", "event" };
	const struct requests_request *all;
	struct str got = {};
	size_t n;

	all = requests_split(requests, &n);
	cr_assert_lt(which, n, "%zu requests", n);
	for (uint32_t i = 0; i < all[which].n_parts; i++) {
		const struct requests_part *part = &all[which].parts[i];
		const struct requests_state *state = &part->state;

		str_addf(&got, "%s%s%s%s %s%s%s of %u %lu", i ? ", " : "", wheres[state->where],
			 state->where == REQUESTS_BEHIND ? " " : "",
			 state->where == REQUESTS_BEHIND ? wheres[state->inner] : "",
			 state->via == REQUESTS_DIRECT ? "" : classes[state->via],
			 state->via == REQUESTS_DIRECT ? "" : " > ", classes[state->class], state->tid,
			 part->ns);
	}
	cr_assert_str_eq(str_or_empty(got.data), text);
	cr_assert_eq(sum_of(&all[which]), all[which].ns);
	str_release(&got);
}

static inline void behind(struct requests *requests, enum requests_kind kind, uint64_t sock, uint32_t tid, uint64_t at,
			  uint64_t arrived)
{
	const struct requests_event event = {
		.kind = kind,
		.time = at * unit,
		.sock = sock,
		.birth = 1,
		.arrived = arrived * unit,
		.tid = tid,
		.from = 3,
	};

	requests_add_event(requests, &event);
}

static inline void gets(struct requests *requests, uint64_t sock, uint32_t tid, uint64_t at, uint64_t arrived,
			uint64_t there, uint32_t round)
{
	const struct requests_event event = {
		.kind = REQUESTS_GET,
		.time = at * unit,
		.sock = sock,
		.birth = 1,
		.arrived = arrived * unit,
		.tid = tid,
		.from = 3,
		.there = { .sock = there, .birth = 1, .round = round },
	};

	requests_add_event(requests, &event);
}

#endif
