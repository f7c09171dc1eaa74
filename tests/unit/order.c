// SPDX-License-Identifier: BSD-2-Clause
/* Events arrive in any order and are passed on in order of time, each once and unchanged. */
#include <criterion/criterion.h>

#include "bpf/event.h"
#include "engine/order.h"

/* An event of any size, filled so that it differs from all others. */
struct numbered {
	struct event event;
	uint32_t number;
	unsigned char rest[64];
};

struct seen {
	uint32_t v[4096];
	uint64_t last;
	size_t n;
};

static size_t size_of(uint32_t number)
{
	return offsetof(struct numbered, rest) + number % 64;
}

static void add(struct order *order, uint64_t time, uint32_t number)
{
	struct numbered e = { .event.time = time, .number = number };
	__free char *exact = base_alloc(size_of(number));

	memset(e.rest, (int)number, sizeof(e.rest));
	memcpy(exact, &e, size_of(number));
	order_add(order, exact, size_of(number));
}

static void see(const void *record, size_t size, void *ctx)
{
	const struct event *event = record;
	const struct numbered *e = record;
	struct seen *seen = ctx;

	cr_assert_eq((uintptr_t)record % _Alignof(struct numbered), 0);
	cr_assert_eq(size, size_of(e->number));
	for (size_t i = 0; i < e->number % 64; i++)
		cr_assert_eq(e->rest[i], (unsigned char)e->number);
	cr_assert_geq(event->time, seen->last);
	seen->last = event->time;
	seen->v[seen->n++] = e->number;
}

static void expect_seen(struct seen *seen, size_t n, const uint32_t *numbers)
{
	cr_assert_eq(seen->n, n);
	for (size_t i = 0; i < n; i++)
		cr_expect_eq(seen->v[i], numbers[i], "%zu: %u", i, seen->v[i]);
	seen->n = 0;
}

#define expect(seen, ...) \
	expect_seen(seen, sizeof((uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t), (uint32_t[]){ __VA_ARGS__ })

Test(order, until_a_time_and_that_included)
{
	struct order order = {};
	struct seen seen = {};

	order_hand_on(&order, UINT64_MAX, see, &seen);
	cr_expect_eq(seen.n, 0);
	add(&order, 10, 1);
	add(&order, 20, 2);
	add(&order, 30, 3);
	order_hand_on(&order, 9, see, &seen);
	cr_expect_eq(seen.n, 0);
	order_hand_on(&order, 20, see, &seen);
	expect(&seen, 1, 2);
	cr_expect_eq(order.n, 1);
	order_hand_on(&order, UINT64_MAX, see, &seen);
	expect(&seen, 3);
	cr_expect_eq(order.n, 0);
	order_release(&order);
}

Test(order, late_ones_find_their_place)
{
	struct order order = {};
	struct seen seen = {};

	add(&order, 30, 63);
	add(&order, 10, 1);
	add(&order, 40, 4);
	order_hand_on(&order, 20, see, &seen);
	expect(&seen, 1);
	/* before both that were kept, and between them */
	add(&order, 25, 5);
	add(&order, 35, 6);
	order_hand_on(&order, UINT64_MAX, see, &seen);
	expect(&seen, 5, 63, 6, 4);
	order_release(&order);
}

Test(order, of_the_same_time_as_they_came)
{
	struct order order = {};
	struct seen seen = {};

	add(&order, 20, 1);
	add(&order, 10, 2);
	add(&order, 20, 3);
	add(&order, 10, 4);
	order_hand_on(&order, 10, see, &seen);
	expect(&seen, 2, 4);
	add(&order, 15, 5);
	add(&order, 20, 6);
	order_hand_on(&order, UINT64_MAX, see, &seen);
	expect(&seen, 5, 1, 3, 6);
	order_release(&order);
}

/* None is older than `until` of the turn before, as the stream sees to it: then all come in order. */
Test(order, any_order_in_many_turns)
{
	struct order order = {};
	struct seen seen = {};
	uint32_t number = 0;
	bool came[4096] = {};

	srand(1);
	for (uint64_t until = 0; until < 64000; until += 1000) {
		for (int i = 0; i < 64; i++)
			add(&order, until + 1 + (uint64_t)rand() % 3000, number++);
		order_hand_on(&order, until + 1000, see, &seen);
	}
	order_hand_on(&order, UINT64_MAX, see, &seen);
	cr_assert_eq(seen.n, number);
	for (size_t i = 0; i < seen.n; i++) {
		cr_expect(!came[seen.v[i]], "%u twice", seen.v[i]);
		came[seen.v[i]] = true;
	}
	order_release(&order);
}
