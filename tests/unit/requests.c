// SPDX-License-Identifier: BSD-2-Clause
/* Requests, and how their time is cut, by threads and connections that are made by hand. */
#include "requests_fixture.h"

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

/* A read that both its arrival and its end have written is one. */
Test(requests, read_twice)
{
	struct requests *requests = begin();

	reads(requests, 1, 1, 100, 7, 120);
	reads(requests, 1, 1, 100, 7, 125);
	sends(requests, 1, 1, 100, 7, 190, 200, 300);
	requests_settle(requests, 1000);
	expect(requests, 0, "own running of 7 100");
	cr_assert_eq(requests_count(requests).requests, 1);
	cr_assert_eq(requests_count(requests).unanswered, 0);
	requests_free(requests);
}

/* One is over when the next one on its connection is read: on another processor, and noted at the same nanosecond. */
Test(requests, over_when_read)
{
	struct requests *requests = begin();

	reads(requests, 1, 1, 100, 7, 120);
	reads(requests, 1, 2, 200, 7, 300);
	sends(requests, 1, 1, 100, 7, 190, 190, 300);
	sends(requests, 1, 2, 200, 7, 310, 320, 400);
	requests_settle(requests, 1000);
	cr_assert_eq(requests_count(requests).requests, 2);
	cr_assert_eq(requests_count(requests).unanswered, 0);
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
	const struct requests_request *all;
	size_t n;

	reads(requests, 1, 1, 100, 7, 110);
	for_what = 41;
	sleeps(requests, 7, LOCK, 120, 8, 190, 195);
	for_what = REQUESTS_NONE;
	sleeps(requests, 8, DISK, 110, 0, 140, 145);
	sleeps(requests, 8, LOCK, 150, 9, 180, 185);
	sleeps(requests, 9, DISK, 50, 0, 60, 60);
	sleeps(requests, 9, DISK, 170, 0, 170, 175);
	sends(requests, 1, 1, 100, 7, 200, 200, 300);
	requests_settle(requests, 1000);
	expect(requests, 0,
	       "own running of 7 25, own lock > disk of 8 20, own lock > processor of 8 10, own lock > running of 8 10, "
	       "own lock > running of 9 25, own lock > processor of 9 5, own processor of 7 5");
	all = requests_split(requests, &n);
	for (uint32_t i = 0; i < all[0].n_parts; i++) {
		const struct requests_state *state = &all[0].parts[i].state;
		const struct requests_ended *ended = requests_ended(requests, state->ended);

		cr_assert_eq(!ended, state->via == REQUESTS_DIRECT);
		if (!ended)
			continue;
		cr_assert_eq(ended->n, state->tid == 9 ? 2 : 1);
		cr_assert_eq(ended->hops[0].tid, 8);
		cr_assert_eq(ended->hops[0].object, 41);
		if (ended->n == 2)
			cr_assert(ended->hops[1].tid == 9 && ended->hops[1].object == REQUESTS_NONE);
	}
	requests_free(requests);
}

/* One that waits for some time at most, and tries again, until the holder gives it up. */
Test(requests, tries_again)
{
	struct requests *requests = begin();

	reads(requests, 1, 1, 100, 7, 110);
	at_stack = 5;
	sleeps(requests, 7, LOCK, 120, 0, 130, 131);
	sleeps(requests, 7, LOCK, 132, 8, 190, 195);
	at_stack = 0;
	sleeps(requests, 8, DISK, 110, 0, 180, 185);
	sends(requests, 1, 1, 100, 7, 200, 200, 300);
	requests_settle(requests, 1000);
	expect(requests, 0,
	       "own running of 7 26, own lock > disk of 8 58, own processor of 7 6, own lock > processor of 8 5, "
	       "own lock > running of 8 5");
	requests_free(requests);
}

/* Whoever wakes a loop in the end has not kept it from what came before; of a lock by its name the holder has. */
Test(requests, tries_again_by_name)
{
	for (int named = 0; named < 2; named++) {
		struct requests *requests = begin();

		reads(requests, 1, 1, 100, 7, 110);
		at_stack = 5;
		for_what = named ? NAMED_LOCK : REQUESTS_NONE;
		sleeps(requests, 7, EVENT, 120, 0, 130, 131);
		sleeps(requests, 7, EVENT, 132, 8, 190, 195);
		at_stack = 0;
		for_what = REQUESTS_NONE;
		sleeps(requests, 8, DISK, 110, 0, 180, 185);
		sends(requests, 1, 1, 100, 7, 200, 200, 300);
		requests_settle(requests, 1000);
		expect(requests, 0,
		       named ? "own running of 7 26, own event > disk of 8 58, own processor of 7 6, "
			       "own event > processor of 8 5, own event > running of 8 5"
			     : "own running of 7 26, own event of 7 10, own processor of 7 6, own event > disk of 8 48, "
			       "own event > processor of 8 5, own event > running of 8 5");
		requests_free(requests);
	}
}

/* Between two tries, the thread may wait for the lock in front, but not for long: that is another lock. */
Test(requests, tries_again_behind_another)
{
	for (int is_long = 0; is_long < 2; is_long++) {
		struct requests *requests = begin();

		unit = 1000000;
		reads(requests, 1, 1, 100, 7, 110);
		at_stack = 5;
		for_what = NAMED_LOCK;
		sleeps(requests, 7, EVENT, 120, 0, 130, 130);
		at_stack = 0;
		for_what = REQUESTS_NONE;
		sleeps(requests, 7, LOCK, 130, 0, is_long ? 133 : 132, is_long ? 133 : 132);
		at_stack = 5;
		for_what = NAMED_LOCK;
		sleeps(requests, 7, EVENT, 134, 9, 150, 150);
		at_stack = 0;
		for_what = REQUESTS_NONE;
		sleeps(requests, 9, DISK, 10, 0, 20, 20);
		sends(requests, 1, 1, 100, 7, 160, 160, 300);
		requests_settle(requests, 1000 * unit);
		expect(requests, 0,
		       is_long ? "own running of 7 31000000, own event of 7 10000000, own lock of 7 3000000, "
				 "own event > running of 9 16000000"
			       : "own running of 7 32000000, own event > running of 9 26000000, own lock of 7 2000000");
		requests_free(requests);
	}
	unit = 1;
}

/* Of timed waits, the first one has no stack: what the next one that lasts as long is for tells it. */
Test(requests, tries_again_without_stack)
{
	for (int as_long = 0; as_long < 2; as_long++) {
		struct requests *requests = begin();
		const struct requests_request *all;
		size_t n;

		reads(requests, 1, 1, 100, 7, 110);
		sleeps(requests, 7, EVENT, 120, 0, as_long ? 130 : 122, 131);
		at_stack = 5;
		for_what = NAMED_LOCK;
		sleeps(requests, 7, EVENT, 132, 0, 142, 143);
		/* it is preempted meanwhile */
		sleeps(requests, 7, PROCESSOR, 143, 0, 143, 144);
		sleeps(requests, 7, EVENT, 144, 8, 150, 150);
		at_stack = 0;
		for_what = REQUESTS_NONE;
		/* who ends it has waited for the same, and that was ended by who has it */
		sleeps(requests, 8, EVENT, 115, 0, as_long ? 125 : 117, 126);
		at_stack = 6;
		for_what = NAMED_LOCK;
		sleeps(requests, 8, EVENT, 127, 0, 137, 138);
		sleeps(requests, 8, EVENT, 138, 9, 149, 149);
		at_stack = 0;
		for_what = REQUESTS_NONE;
		sleeps(requests, 9, DISK, 10, 0, 20, 20);
		sends(requests, 1, 1, 100, 7, 160, 160, 300);
		requests_settle(requests, 1000);
		all = requests_split(requests, &n);
		for (uint32_t i = 0; i < all[0].n_parts; i++) {
			const struct requests_state *state = &all[0].parts[i].state;
			const struct requests_ended *ended = requests_ended(requests, state->ended);

			for (uint32_t hop = 0; ended && hop < ended->n; hop++)
				cr_expect_eq(ended->hops[hop].object, (uint32_t)NAMED_LOCK);
		}
		expect(requests, 0,
		       as_long ? "own running of 7 31, own event > running of 9 22, own event > processor of 8 2, "
				 "own event > running of 8 2, own processor of 7 3"
			       : "own running of 7 31, own event of 7 2, own processor of 7 11, own event > running of 9 14, "
				 "own event > processor of 8 1, own event > running of 8 1");
		requests_free(requests);
	}
}

/* A wait that lasts longer than the request is not looked at: who ends it has nothing to do with it. */
Test(requests, tries_again_later)
{
	struct requests *requests = begin();

	reads(requests, 1, 1, 100, 7, 110);
	at_stack = 5;
	sleeps(requests, 7, LOCK, 120, 0, 130, 131);
	at_stack = 0;
	sends(requests, 1, 1, 100, 7, 140, 140, 300);
	at_stack = 5;
	sleeps(requests, 7, LOCK, 141, 8, 190, 195);
	at_stack = 0;
	sleeps(requests, 8, DISK, 110, 0, 180, 185);
	requests_settle(requests, 1000);
	expect(requests, 0, "own running of 7 29, own lock of 7 10, own processor of 7 1");
	requests_free(requests);
}

/* Whoever gives a lock up and is not measured is named all the same; who ends other sleeps is not. */
Test(requests, held_by_other)
{
	struct requests *requests = begin();
	const struct requests_request *all;
	const struct requests_ended *ended;
	size_t n;

	reads(requests, 1, 1, 100, 7, 110);
	sleeps(requests, 7, EVENT, 120, 99, 130, 130);
	for_what = NAMED_LOCK;
	sleeps(requests, 7, EVENT, 140, 99, 170, 170);
	for_what = REQUESTS_NONE;
	sends(requests, 1, 1, 100, 7, 200, 200, 300);
	requests_settle(requests, 1000);
	expect(requests, 0, "own running of 7 60, own event of 7 10, own event > unknown of 99 30");
	all = requests_split(requests, &n);
	ended = requests_ended(requests, all[0].parts[2].state.ended);
	cr_assert(ended && ended->n == 1 && ended->hops[0].tid == 99 && ended->hops[0].object == NAMED_LOCK);
	requests_free(requests);
}

/* A request with very many parts: they sum to what it took. */
Test(requests, many_parts)
{
	struct requests *requests = begin();
	const struct requests_request *all;
	size_t n;

	reads(requests, 1, 1, 100, 7, 110);
	for (uint32_t i = 0; i < 3000; i++) {
		for_what = i;
		sleeps(requests, 7, DISK, 120 + 10 * i, 0, 125 + 10 * i, 126 + 10 * i);
	}
	for_what = REQUESTS_NONE;
	sends(requests, 1, 1, 100, 7, 40100, 40100, 50000);
	requests_settle(requests, 100000);
	all = requests_split(requests, &n);
	cr_assert_eq(n, 1);
	cr_expect_eq(sum_of(&all[0]), 40000);
	cr_expect_leq(all[0].n_parts, 1030);
	requests_free(requests);
}

/* A loop that waits for a helper while it works for another one is not idle. */
Test(requests, within_another)
{
	struct requests *requests = begin();

	reads(requests, 2, 1, 100, 7, 110);
	sleeps(requests, 7, CONDITION, 120, 9, 160, 165);
	sends(requests, 2, 1, 100, 7, 170, 170, 300);
	reads(requests, 1, 1, 115, 7, 180);
	sends(requests, 1, 1, 115, 7, 190, 190, 301);
	requests_settle(requests, 1000);
	expect(requests, 1,
	       "queue running of 7 10, queue condition of 7 40, queue processor of 7 5, own running of 7 20");
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

/*
 * A loop runs for one request while another one waits. Each sample counts up to the middle between it and the next, for
 * 4 ms at most, and only in its own part. The steps at several samples are one run.
 */
Test(requests, ran)
{
	struct requests *requests = begin_with(&(struct requests_limits){ .slowest = 2 });
	const struct requests_request *slowest;
	size_t n;

	unit = 1000000;
	reads(requests, 1, 1, 100, 7, 101);
	runs(requests, 7, 104, 1);
	runs(requests, 7, 106, 2);
	runs(requests, 7, 130, 1);
	runs(requests, 8, 131, 9);
	sends(requests, 1, 1, 100, 7, 140, 140, 300);
	reads(requests, 2, 1, 102, 7, 141);
	runs(requests, 7, 142, 3);
	sends(requests, 2, 1, 102, 7, 143, 143, 301);
	requests_settle(requests, UINT64_MAX);
	unit = 1;
	/* it is read at 101; up to 105 at 1, to 110 at 2, from 126 to 134 at 1 */
	expect(requests, 0, "own running of 7 23000000, own running of 7 12000000, own running of 7 5000000");
	expect(requests, 1, "queue running of 7 11000000, queue running of 7 5000000, queue running of 7 22000000, "
			    "own running of 7 1000000, own running of 7 2000000");
	slowest = requests_slowest(requests, &n);
	cr_assert_eq(n, 2);
	cr_assert_eq(slowest[0].tid, 7);
	cr_assert_eq(slowest[0].parts[0].state.object, 1);
	cr_assert_eq(slowest[0].parts[4].state.object, 3);
	cr_assert_eq(slowest[0].n_steps, 7);
	cr_assert_eq(requests_run(slowest[0].steps, slowest[0].n_steps, RUNNING), 5);
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
