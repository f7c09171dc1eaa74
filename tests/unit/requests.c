// SPDX-License-Identifier: BSD-2-Clause
/* Requests, and how their time is cut, by threads and connections that are made by hand, and by random ones. */
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
};

/* What the times of the following functions are multiplied by. */
static uint64_t unit = 1;

static struct requests *begin_with(const struct requests_limits *limits)
{
	const struct requests_classes classes = {
		.rests = 1 << POLL | 1 << CONDITION,
		.follows = 1 << LOCK,
		.behind = NETWORK,
		.running = RUNNING,
		.unknown = UNKNOWN,
	};

	return requests_new(&classes, limits);
}

static struct requests *begin(void)
{
	return begin_with(&(struct requests_limits){ .deep = 5 });
}

static void sleeps(struct requests *requests, uint32_t tid, enum class class, uint64_t off_at, uint32_t waker,
		   uint64_t woken_at, uint64_t ran_at)
{
	const struct requests_link link = {
		.off_at = off_at * unit,
		.woken_at = woken_at * unit,
		.ran_at = ran_at * unit,
		.tid = tid,
		.waker = waker,
		.object = REQUESTS_NONE,
		.behind = REQUESTS_NONE,
		.class = class,
		.ready_class = PROCESSOR,
	};

	requests_add_link(requests, &link);
}

static void reads(struct requests *requests, uint64_t sock, uint32_t round, uint64_t arrived, uint32_t tid, uint64_t at)
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
static void sends(struct requests *requests, uint64_t sock, uint32_t round, uint64_t arrived, uint32_t tid, uint64_t at,
		  uint64_t last, uint64_t known)
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

static uint64_t sum_of(const struct requests_request *request)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < request->n_parts; i++)
		sum += request->parts[i].ns;
	return sum;
}

/* "WHERE CLASS of TID NS", in the order in which they were found. */
static void expect(const struct requests *requests, size_t which, const char *text)
{
	static const char *const wheres[] = { "own", "queue", "accept", "unknown", "behind", "way" };
	static const char *const classes[] = { "unknown", "running", "processor", "disk", "poll", "condition", "network", "lock" };
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

/* A thread that serves one connection: whatever it does is its own. */
Test(requests, own)
{
	struct requests *requests = begin();

	sleeps(requests, 7, POLL, 50, 0, 102, 110);
	reads(requests, 1, 1, 100, 7, 120);
	sleeps(requests, 7, DISK, 130, 0, 170, 180);
	sends(requests, 1, 1, 100, 7, 190, 200, 300);
	requests_settle(requests, 1000);
	expect(requests, 0, "own poll of 7 2, own processor of 7 18, own running of 7 40, own disk of 7 40");
	cr_assert_eq(requests_count(requests).connections, 1);
	requests_free(requests);
}

/* A loop reads two requests, and then answers both. */
Test(requests, queue)
{
	struct requests *requests = begin();
	size_t n;

	reads(requests, 1, 1, 100, 7, 110);
	reads(requests, 2, 1, 105, 7, 120);
	sleeps(requests, 7, DISK, 122, 0, 128, 128);
	sends(requests, 1, 1, 100, 7, 130, 130, 300);
	sends(requests, 2, 1, 105, 7, 150, 150, 301);
	requests_settle(requests, 1000);
	/* for the other one from 120 on, and for this one since then */
	expect(requests, 0, "own running of 7 24, own disk of 7 6");
	expect(requests, 1, "queue running of 7 5, own running of 7 34, own disk of 7 6");
	requests_split(requests, &n);
	cr_assert_eq(n, 2);
	requests_free(requests);
}

/* One thread reads, and wakes another one, which answers. */
Test(requests, handed_over)
{
	struct requests *requests = begin();

	reads(requests, 1, 1, 100, 7, 110);
	sleeps(requests, 8, CONDITION, 20, 7, 130, 140);
	sleeps(requests, 7, POLL, 135, 0, 500, 500);
	sends(requests, 1, 1, 100, 8, 190, 190, 300);
	requests_settle(requests, 1000);
	expect(requests, 0, "own running of 7 30, own processor of 8 10, own running of 8 50");
	requests_free(requests);
}

/* A timer ends the sleep of the thread that works for it, and interrupts the one that reads: that hands nothing over. */
Test(requests, not_handed_over)
{
	struct requests *requests = begin();

	reads(requests, 1, 1, 100, 7, 110);
	sleeps(requests, 8, CONDITION, 20, 7, 130, 140);
	sleeps(requests, 8, DISK, 150, 7, 170, 180);
	sends(requests, 1, 1, 100, 8, 190, 190, 300);
	requests_settle(requests, 1000);
	expect(requests, 0, "own running of 7 30, own processor of 8 20, own running of 8 20, own disk of 8 20");
	requests_free(requests);
}

/* The thread that answers was busy with another request until 160, and was not woken. */
Test(requests, pool)
{
	struct requests *requests = begin();

	reads(requests, 1, 1, 50, 7, 60);
	reads(requests, 2, 1, 100, 7, 110);
	sleeps(requests, 7, POLL, 120, 0, 500, 500);
	sleeps(requests, 8, DISK, 130, 0, 150, 150);
	sends(requests, 1, 1, 50, 8, 160, 160, 300);
	sends(requests, 2, 1, 100, 8, 190, 190, 301);
	requests_settle(requests, 1000);
	expect(requests, 1,
	       "own running of 7 20, queue running of 8 20, queue disk of 8 20, own running of 8 30");
	requests_free(requests);
}

/* The thread is not there when the request arrives. */
Test(requests, not_accepted)
{
	struct requests *requests = begin();

	requests_add_link(requests, &(struct requests_link){ .ran_at = 130, .tid = 7, .born = true });
	reads(requests, 1, 1, 100, 7, 140);
	sends(requests, 1, 1, 100, 7, 150, 150, 300);
	requests_settle(requests, 1000);
	expect(requests, 0, "accept unknown of 7 30, own running of 7 20");
	requests_free(requests);
}

/* Between the read and the answer the loop serves another one, and sleeps for nobody knows what. */
Test(requests, not_known)
{
	struct requests *requests = begin();

	reads(requests, 1, 1, 100, 7, 110);
	sleeps(requests, 7, POLL, 115, 0, 130, 130);
	reads(requests, 2, 1, 128, 7, 135);
	sends(requests, 2, 1, 128, 7, 140, 140, 300);
	sleeps(requests, 7, POLL, 145, 0, 160, 160);
	sends(requests, 1, 1, 100, 7, 170, 170, 301);
	requests_settle(requests, 1000);
	expect(requests, 1, "own running of 7 30, unknown poll of 7 15, queue running of 7 10, own poll of 7 15");
	requests_free(requests);
}

static void behind(struct requests *requests, enum requests_kind kind, uint64_t sock, uint32_t tid, uint64_t at,
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

/* A loop asks another server for two requests at a time, on a connection each. */
Test(requests, behind)
{
	struct requests *requests = begin();

	reads(requests, 1, 1, 100, 7, 110);
	behind(requests, REQUESTS_DIAL, 11, 7, 112, 0);
	reads(requests, 2, 1, 105, 7, 115);
	behind(requests, REQUESTS_DIAL, 12, 7, 116, 0);
	behind(requests, REQUESTS_ASK, 11, 7, 120, 0);
	behind(requests, REQUESTS_ASK, 12, 7, 121, 0);
	sleeps(requests, 7, POLL, 125, 0, 155, 160);
	behind(requests, REQUESTS_GET, 12, 7, 165, 150);
	sends(requests, 2, 1, 105, 7, 170, 170, 300);
	behind(requests, REQUESTS_GET, 11, 7, 180, 168);
	sends(requests, 1, 1, 100, 7, 190, 190, 301);
	requests_settle(requests, 1000);
	expect(requests, 0,
	       "queue running of 7 5, own running of 7 25, behind behind network of 7 25, own poll of 7 5, own processor of 7 5");
	expect(requests, 1, "own running of 7 41, behind behind network of 7 47, queue running of 7 2");
	requests_free(requests);
}

static void gets(struct requests *requests, uint64_t sock, uint32_t tid, uint64_t at, uint64_t arrived, uint64_t there,
		 uint32_t round)
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

/* The server behind is measured: its request is part of the one that asked, and no request of its own. */
Test(requests, there)
{
	struct requests *requests = begin();
	size_t n;

	reads(requests, 1, 1, 100, 7, 110);
	behind(requests, REQUESTS_ASK, 11, 7, 120, 0);
	sleeps(requests, 7, NETWORK, 125, 9, 185, 188);
	sleeps(requests, 9, POLL, 50, 7, 140, 145);
	reads(requests, 21, 1, 135, 9, 150);
	sleeps(requests, 9, DISK, 155, 0, 165, 170);
	sends(requests, 21, 1, 135, 9, 180, 180, 400);
	gets(requests, 11, 7, 190, 185, 21, 1);
	sends(requests, 1, 1, 100, 7, 200, 200, 300);
	requests_settle(requests, 1000);
	expect(requests, 0,
	       "own running of 7 37, behind way network of 7 15, behind own poll of 9 5, behind own processor of 9 10, "
	       "behind own running of 9 20, behind own disk of 9 10, own processor of 7 3");
	requests_split(requests, &n);
	cr_assert_eq(n, 1);
	cr_assert_eq(requests_count(requests).inner, 1);
	requests_free(requests);
}

/* Three deep: who is asked asks another one. What the middle one was busy with before is a queue there. */
Test(requests, chain)
{
	struct requests *requests = begin();
	size_t n;

	reads(requests, 22, 1, 90, 9, 95);
	reads(requests, 1, 1, 100, 7, 110);
	behind(requests, REQUESTS_ASK, 11, 7, 120, 0);
	sleeps(requests, 7, NETWORK, 120, 9, 290, 290);
	sends(requests, 22, 1, 90, 9, 130, 130, 600);
	reads(requests, 21, 1, 125, 9, 140);
	behind(requests, REQUESTS_ASK, 31, 9, 150, 0);
	sleeps(requests, 9, NETWORK, 150, 8, 260, 260);
	reads(requests, 41, 5, 155, 8, 160);
	sleeps(requests, 8, DISK, 170, 0, 240, 240);
	sends(requests, 41, 5, 155, 8, 250, 250, 601);
	gets(requests, 31, 9, 265, 255, 41, 5);
	sends(requests, 21, 1, 125, 9, 280, 280, 602);
	gets(requests, 11, 7, 295, 285, 21, 1);
	sends(requests, 1, 1, 100, 7, 300, 300, 500);
	requests_settle(requests, 1000);
	expect(requests, 0,
	       "own running of 7 30, behind way network of 7 10, behind queue running of 9 5, behind own running of 9 40, "
	       "behind way network of 9 10, behind own running of 8 25, behind own disk of 8 70, behind own network of 9 5, "
	       "own network of 7 5");
	requests_split(requests, &n);
	cr_assert_eq(n, 2);
	cr_assert_eq(requests_count(requests).inner, 2);
	requests_free(requests);
}

/* The holder of a lock waits for the disk, and for another lock, whose holder runs and then waits for a processor. */
Test(requests, held_up)
{
	struct requests *requests = begin();

	reads(requests, 1, 1, 100, 7, 110);
	sleeps(requests, 7, LOCK, 120, 8, 190, 195);
	sleeps(requests, 8, DISK, 110, 0, 140, 145);
	sleeps(requests, 8, LOCK, 150, 9, 180, 185);
	sleeps(requests, 9, DISK, 50, 0, 60, 60);
	sleeps(requests, 9, DISK, 170, 0, 170, 175);
	sends(requests, 1, 1, 100, 7, 200, 200, 300);
	requests_settle(requests, 1000);
	expect(requests, 0,
	       "own running of 7 25, own lock > disk of 8 20, own lock > processor of 8 10, own lock > running of 8 10, "
	       "own lock > running of 9 25, own lock > processor of 9 5, own processor of 7 5");
	requests_free(requests);
}

/* Two threads that wait for each other. */
Test(requests, held_up_by_itself)
{
	struct requests *requests = begin();
	const struct requests_request *all;
	size_t n;

	reads(requests, 1, 1, 100, 7, 110);
	sleeps(requests, 7, LOCK, 120, 8, 190, 195);
	sleeps(requests, 8, LOCK, 115, 7, 185, 188);
	sends(requests, 1, 1, 100, 7, 200, 200, 300);
	requests_settle(requests, 1000);
	all = requests_split(requests, &n);
	cr_assert_eq(n, 1);
	cr_assert_eq(sum_of(&all[0]), 100);
	requests_free(requests);
}

/* One that is not linked is no request, if its server is only known as one behind. */
Test(requests, aside)
{
	struct requests *requests = begin();
	struct requests_event event = {
		.kind = REQUESTS_READ,
		.time = 110,
		.sock = 1,
		.birth = 1,
		.arrived = 100,
		.tid = 7,
		.round = 1,
		.aside = true,
	};
	size_t n;

	requests_add_event(requests, &event);
	sends(requests, 1, 1, 100, 7, 150, 150, 300);
	requests_settle(requests, 1000);
	requests_split(requests, &n);
	cr_assert_eq(n, 0);
	cr_assert_eq(requests_count(requests).requests, 0);
	cr_assert_eq(requests_count(requests).connections, 0);
	requests_free(requests);
}

/* Of more requests than are kept there are samples; counts and the slowest ones are exact. */
Test(requests, samples)
{
	const struct requests_classes classes = { .running = RUNNING, .behind = NETWORK };
	const struct requests_limits limits = { .split = 100, .times = 200, .slowest = 3, .slower = 501 };
	struct requests *requests = requests_new(&classes, &limits);
	const struct requests_request *slowest, *split;
	struct requests_counts counts;
	uint64_t at = 1, sum = 0;
	size_t n, low = 0;

	/* each of 1 to 1000 ns ten times */
	for (uint32_t round = 1; round <= 10000; round++) {
		const uint64_t ns = round * 7919 % 1000 + 1;

		reads(requests, 1, round, at, 7, at);
		sends(requests, 1, round, at, 7, at + ns, at + ns, at + ns);
		at += ns + 1;
		if (round % 100 == 0)
			requests_settle(requests, at - 1);
	}
	requests_settle(requests, UINT64_MAX);
	counts = requests_count(requests);
	cr_assert_eq(counts.requests, 10000);
	cr_assert_eq(counts.ns, 5005000);
	cr_assert_eq(counts.max, 1000);
	cr_assert_eq(counts.slower, 5000);
	requests_times(requests, &n);
	cr_assert_eq(n, 200);
	split = requests_split(requests, &n);
	cr_assert_eq(n, 100);
	for (size_t i = 0; i < n; i++) {
		cr_assert(split[i].ns > 500 && split[i].ns <= 1000 && split[i].n_parts == 1 && !split[i].n_steps);
		cr_assert_eq(sum_of(&split[i]), split[i].ns);
		sum += split[i].ns;
		low += split[i].arrived < at / 2;
	}
	/* 100 numbers that are spread over 501..1000 and over the run: five deviations */
	cr_assert(sum > 100 * (750 - 73) && sum < 100 * (750 + 73), "%lu", sum);
	cr_assert(low > 25 && low < 75, "%zu", low);
	slowest = requests_slowest(requests, &n);
	cr_assert_eq(n, 3);
	for (size_t i = 0; i < n; i++)
		cr_assert(slowest[i].ns == 1000 && slowest[i].n_steps == 1);
	requests_free(requests);
}

/* The steps of the slowest are in the order of time, with their stacks. */
Test(requests, steps)
{
	const struct requests_classes classes = { .running = RUNNING, .behind = NETWORK };
	struct requests *requests = requests_new(&classes, &(struct requests_limits){ .slowest = 1 });
	const struct requests_request *slowest;
	struct requests_link link = {
		.off_at = 20000,
		.woken_at = 60000,
		.ran_at = 60010,
		.tid = 7,
		.object = 5,
		.stack = 99,
		.class = DISK,
		.ready_class = PROCESSOR,
		.behind = REQUESTS_NONE,
	};
	size_t n;

	reads(requests, 1, 1, 10000, 7, 10100);
	requests_add_link(requests, &link);
	sends(requests, 1, 1, 10000, 7, 90000, 90000, 100000);
	requests_settle(requests, UINT64_MAX);
	slowest = requests_slowest(requests, &n);
	cr_assert_eq(n, 1);
	cr_assert_eq(slowest->n_parts, 3);
	/* the wait for the processor is short */
	cr_assert_eq(slowest->n_steps, 3);
	cr_assert(slowest->steps[0].from == 10000 && slowest->steps[0].to == 20000);
	cr_assert(slowest->steps[1].from == 20000 && slowest->steps[1].to == 60000 && slowest->steps[1].stack == 99);
	cr_assert(slowest->steps[2].from == 60010 && slowest->steps[2].to == 90000);
	requests_free(requests);
}

/* A request with a loss inside is counted, and has no parts. */
Test(requests, lost)
{
	struct requests *requests = begin();
	const struct requests_request *all;
	size_t n;

	reads(requests, 1, 1, 100, 7, 110);
	requests_add_loss(requests, 120, 125);
	sends(requests, 1, 1, 100, 7, 150, 150, 300);
	/* the end of this one is lost */
	reads(requests, 2, 1, 400, 7, 410);
	reads(requests, 2, 2, 500, 7, 510);
	sends(requests, 2, 2, 500, 7, 520, 530, 600);
	requests_settle(requests, 1000);
	all = requests_split(requests, &n);
	cr_assert_eq(n, 2);
	cr_assert_eq(all[0].n_parts, 0);
	cr_assert_eq(all[0].ns, 50);
	cr_assert_eq(sum_of(&all[1]), 30);
	cr_assert_eq(requests_count(requests).not_cut, 1);
	cr_assert_eq(requests_count(requests).unanswered, 1);
	requests_free(requests);
}

/* An answer goes on for long: the request ends when it begins, also for what it asked in between. */
Test(requests, first_byte)
{
	struct requests *requests = begin_with(&(struct requests_limits){ .deep = 5, .first_byte = true });

	reads(requests, 1, 1, 100, 7, 110);
	sleeps(requests, 7, DISK, 120, 0, 140, 140);
	sends(requests, 1, 1, 100, 7, 150, 900, 1000);
	behind(requests, REQUESTS_ASK, 11, 7, 145, 0);
	behind(requests, REQUESTS_GET, 11, 7, 180, 170);
	reads(requests, 1, 2, 1000, 7, 1010);
	sends(requests, 1, 2, 1000, 7, 1020, 1020, 1100);
	requests_settle(requests, 2000);
	expect(requests, 0, "own running of 7 30, own disk of 7 20");
	expect(requests, 1, "own running of 7 20");
	cr_assert_eq(requests_count(requests).max, 50);
	requests_free(requests);
}

/* --- what is forgotten --- */

#define MS 1000000ULL

/* One request is never answered; others are, while a thread switches 100 times in each of so many 10 ms. */
static void stuck(const struct requests_limits *limits, size_t most_kept)
{
	struct requests *requests = begin_with(limits);
	uint64_t at = MS, most = 0;

	reads(requests, 9, 1, at, 9, at);
	for (uint32_t round = 1; round <= 20000; round++) {
		at += MS;
		reads(requests, 1, round, at, 7, at + 100);
		sleeps(requests, 7, DISK, at + 200, 0, at + 300, at + 300);
		sends(requests, 1, round, at, 7, at + 400, at + 400, at + 500);
		for (int i = 0; i < 100; i++) {
			at += MS / 20;
			sleeps(requests, 8, POLL, at, 0, at + 10, at + 20);
		}
		requests_settle(requests, at);
		most = requests->kept > most ? requests->kept : most;
	}
	cr_assert_leq(most, most_kept, "%lu are kept", most);
	cr_assert_eq(requests_count(requests).requests, 20000);
	cr_assert_eq(requests_count(requests).not_cut, 0, "%lu not cut", requests_count(requests).not_cut);
	cr_assert_eq(requests_count(requests).unanswered, 1);
	expect(requests, 19999, "own running of 7 300, own disk of 7 100");
	requests_free(requests);
}

/* Of 2 million switches, those of 2 s and a bit are kept. */
Test(requests, one_is_too_old)
{
	stuck(&(struct requests_limits){ .longest = 5000 * MS }, 150000);
}

/* Without a longest one, there is room for so many only. */
Test(requests, no_room)
{
	stuck(&(struct requests_limits){ .kept = 20000 }, 20200);
}

/* A request is read long after it has arrived, and is known only then. What its thread did before is still there. */
Test(requests, read_late)
{
	struct requests *requests = begin();
	uint64_t at = 10000 * MS, arrived = at;

	for (int i = 0; i < 150; i++) {
		at += 10 * MS;
		sleeps(requests, 7, DISK, at - 5 * MS, 0, at, at);
		requests_settle(requests, at);
	}
	reads(requests, 1, 1, arrived, 7, at + MS);
	sends(requests, 1, 1, arrived, 7, at + 2 * MS, at + 2 * MS, at + 3 * MS);
	requests_settle(requests, at + 4 * MS);
	expect(requests, 0, "own running of 7 752000000, own disk of 7 750000000");
	requests_free(requests);
}

/* One that is known to have been read, although that time has not come. */
Test(requests, is_read_later)
{
	struct requests *requests = begin();
	uint64_t at = 10000 * MS, arrived = at;

	reads(requests, 1, 1, arrived, 7, at + 5001 * MS);
	for (int i = 0; i < 500; i++) {
		at += 10 * MS;
		sleeps(requests, 7, DISK, at - 5 * MS, 0, at, at);
		requests_settle(requests, at);
	}
	sends(requests, 1, 1, arrived, 7, at + 2 * MS, at + 2 * MS, at + 3 * MS);
	requests_settle(requests, at + 4 * MS);
	expect(requests, 0, "own running of 7 2502000000, own disk of 7 2500000000");
	requests_free(requests);
}

/* What its thread did is forgotten: it is counted, and has no parts. */
Test(requests, read_too_late)
{
	struct requests *requests = begin();
	uint64_t at = 10000 * MS, arrived = at;

	for (int i = 0; i < 500; i++) {
		at += 10 * MS;
		sleeps(requests, 7, DISK, at - 5 * MS, 0, at, at);
		requests_settle(requests, at);
	}
	reads(requests, 1, 1, arrived, 7, at + MS);
	sends(requests, 1, 1, arrived, 7, at + 2 * MS, at + 2 * MS, at + 3 * MS);
	requests_settle(requests, at + 4 * MS);
	expect(requests, 0, "");
	cr_assert_eq(requests_count(requests).not_cut, 1);
	requests_free(requests);
}

/* Ever new sockets, at both sides. */
Test(requests, new_sockets)
{
	struct requests *requests = begin();
	uint64_t at = 10000 * MS;
	const uint32_t n = 100000;

	for (uint32_t i = 1; i <= n; i++) {
		at += 100 * MS;
		reads(requests, i, 1, at, 7, at + 100);
		behind(requests, REQUESTS_ASK, n + i, 7, at + 110, 0);
		behind(requests, REQUESTS_GET, n + i, 7, at + 130, at + 120);
		sends(requests, i, 1, at, 7, at + 140, at + 140, at + 150);
		/* every 100th is never answered */
		if (i % 100 == 0)
			reads(requests, i, 2, at + 200, 7, at + 210);
		requests_settle(requests, at + 300);
	}
	/* those of 10 minutes, and of one hour */
	cr_assert_leq(requests->connections.n + requests->behinds.n, 16500, "%zu", requests->connections.n);
	cr_assert_eq(requests->socks.n, requests->connections.n);
	cr_assert_eq(requests->behind_socks.n, requests->behinds.n);
	cr_assert_eq(requests_count(requests).requests, n);
	cr_assert_eq(requests_count(requests).connections, n);
	cr_assert_eq(requests_count(requests).unanswered, n / 100);
	requests_free(requests);
}

/* --- random histories --- */

#define THREADS	    5
#define CONNECTIONS 8
#define STEPS	    3000

static uint64_t some(unsigned int *seed, unsigned int most)
{
	return rand_r(seed) % (most + 1);
}

/* Each thread switches at random, also with clocks that do not agree. */
static void add_threads(struct requests *requests, unsigned int *seed, uint64_t end)
{
	for (uint32_t tid = 1; tid <= THREADS; tid++) {
		for (uint64_t at = some(seed, 100); at < end;) {
			uint64_t off_at = at + some(seed, 50), woken_at = off_at + some(seed, 50);
			uint64_t ran_at = woken_at + some(seed, 20);

			if (some(seed, 50) == 0)
				woken_at -= some(seed, 30) < woken_at ? 3 : 0;
			sleeps(requests, tid, some(seed, 3) ? DISK + some(seed, 2) : LOCK, off_at, some(seed, THREADS), woken_at, ran_at);
			at = ran_at;
		}
	}
}

static uint64_t deep; /* requests that are parts of others */

struct handed_out {
	uint64_t requests, inner, asked;
};

/* Each one comes once, and its steps follow each other from its begin to its end. */
static void check_steps(const struct requests_done *done, void *ctx)
{
	struct handed_out *out = ctx;
	uint64_t at = done->arrived, sum = 0;

	out->requests += !done->inner;
	out->inner += done->inner;
	out->asked += done->n_asked;
	cr_assert(done->n_steps && done->arrived <= done->read_at && done->read_at <= done->ended);
	for (size_t i = 0; i < done->n_steps; i++) {
		cr_assert_eq(done->steps[i].from, at, "step %zu of request %lu", i, done->number);
		cr_assert_gt(done->steps[i].to, at);
		at = done->steps[i].to;
	}
	cr_assert_eq(at, done->ended);
	for (size_t i = 0; i < done->n_parts; i++)
		sum += done->parts[i].ns;
	cr_assert_eq(sum, done->ended - done->arrived);
}

/* Sockets get other addresses now and then, and the first ones again. */
static uint64_t sock_of(uint64_t connection, uint32_t round)
{
	return connection + round / 50 % 3 * CONNECTIONS;
}

/* forgets: now and then, all that nobody needs. Returns how many requests there are. */
static uint64_t add_random(struct requests *requests, unsigned int seed, bool forgets)
{
	uint64_t at[CONNECTIONS + 1] = {}, end = 0, wanted = 0, settled = 0;

	for (uint32_t round = 1; round <= STEPS / CONNECTIONS; round++) {
		for (uint64_t i = 1; i <= CONNECTIONS; i++) {
			uint64_t arrived = at[i] + 1 + some(&seed, 60), read = arrived + some(&seed, 60);
			uint64_t first = read + some(&seed, 90), last = first + some(&seed, 1) * some(&seed, 40);

			reads(requests, sock_of(i, round), round, arrived, 1 + some(&seed, THREADS - 1), read);
			at[i] = last + 1 + some(&seed, 30);
			if (some(&seed, 1))
				behind(requests, REQUESTS_ASK, sock_of(some(&seed, 5), round),
				       1 + some(&seed, THREADS - 1), read + some(&seed, 40), 0);
			if (some(&seed, 1))
				gets(requests, sock_of(some(&seed, 5), round), 1 + some(&seed, THREADS - 1),
				     read + some(&seed, 90), read + some(&seed, 90),
				     sock_of(some(&seed, CONNECTIONS), round), round - some(&seed, 1));
			sends(requests, sock_of(i, round), round, arrived, 1 + some(&seed, THREADS - 1), first, last,
			      at[i]);
			end = at[i] > end ? at[i] : end;
			wanted++;
		}
	}
	add_threads(requests, &seed, end);
	while (settled < end) {
		requests_settle(requests, (settled += 1 + some(&seed, 500)) * unit);
		if (forgets && some(&seed, 3) == 0)
			requests_forget_connections(requests, UINT64_MAX, 0);
	}
	requests_settle(requests, UINT64_MAX);
	return wanted;
}

/* Whatever threads did, and whoever reads and sends: the parts of each request sum to its time, to the nanosecond. */
static void try_random(unsigned int seed)
{
	struct requests *requests = begin();
	const struct requests_request *all;
	struct handed_out out = {};
	uint64_t wanted;
	size_t n;

	requests_each(requests, check_steps, &out, true);
	wanted = add_random(requests, seed, false);
	all = requests_split(requests, &n);
	cr_assert_eq(n + requests_count(requests).inner, wanted, "%zu requests, not %lu", n, wanted);
	deep += requests_count(requests).inner;
	/* one that lasts for no time is not handed out */
	cr_assert(out.requests <= n && out.requests > n * 9 / 10, "%lu of %zu", out.requests, n);
	cr_assert_leq(out.inner, requests_count(requests).inner);
	cr_assert_gt(out.asked, 0);
	for (size_t i = 0; i < n; i++)
		cr_assert_eq(sum_of(&all[i]), all[i].ns, "request %zu: %lu, not %lu", i,
			     sum_of(&all[i]), all[i].ns);
	cr_assert_eq(requests_count(requests).connections, 3 * CONNECTIONS);
	cr_assert_eq(requests_count(requests).unanswered, 0);
	requests_free(requests);
}

Test(requests, random)
{
	for (unsigned int seed = 1; seed <= 20; seed++)
		try_random(seed);
	cr_assert_gt(deep, 100, "%lu were linked", deep);
}

static void expect_same(const struct requests *got, const struct requests *wanted)
{
	const struct requests_request *a, *b;
	size_t n, n_wanted;

	a = requests_split(got, &n);
	b = requests_split(wanted, &n_wanted);
	cr_assert_eq(n, n_wanted);
	cr_assert_eq(requests_count(got).inner, requests_count(wanted).inner);
	cr_assert_eq(requests_count(got).not_cut, 0);
	for (size_t i = 0; i < n; i++) {
		cr_assert_eq(a[i].ns, b[i].ns * unit);
		cr_assert_eq(a[i].behind, b[i].behind);
		cr_assert_eq(a[i].n_parts, b[i].n_parts, "request %zu: %u parts, not %u", i, a[i].n_parts,
			     b[i].n_parts);
		for (uint32_t p = 0; p < a[i].n_parts; p++) {
			cr_assert_eq(a[i].parts[p].ns, b[i].parts[p].ns * unit);
			cr_assert(!memcmp(&a[i].parts[p].state, &b[i].parts[p].state, sizeof(a[i].parts[p].state)));
		}
	}
}

/* What is forgotten was not needed: in 1 ms for each ns, most of the same history is. */
Test(requests, random_forgotten)
{
	for (unsigned int seed = 1; seed <= 20; seed++) {
		struct requests *wanted = begin(), *requests = begin();

		unit = 1;
		add_random(wanted, seed, true);
		unit = MS;
		add_random(requests, seed, true);
		expect_same(requests, wanted);
		cr_assert_lt(requests->kept, wanted->kept / 2, "%zu of %zu are kept", requests->kept, wanted->kept);
		cr_assert_lt(requests->connections.n, wanted->connections.n);
		requests_free(requests);
		requests_free(wanted);
	}
}
