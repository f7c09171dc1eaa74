// SPDX-License-Identifier: BSD-2-Clause
/* Reading the records of a ring buffer, in memory that is laid out as the kernel lays it out. */
#include <linux/bpf.h>

#include <criterion/criterion.h>

#include "engine/stream_ring.h"

#define SIZE 128

struct memory {
	unsigned long read_to, writers;
	_Alignas(8) char records[2 * SIZE];
	struct stream_ring ring;
};

static void init(struct memory *m, unsigned long at)
{
	*m = (struct memory){ .read_to = at, .writers = at };
	m->ring = (struct stream_ring){ &m->read_to, (char *)&m->writers, m->records, SIZE };
}

/* Writes a record of 12 bytes, 24 with the header and filled up, into both copies of the buffer. */
static void put(struct memory *m, uint32_t flags, uint64_t value)
{
	uint32_t header = 12 | flags;

	for (size_t i = 0; i < BPF_RINGBUF_HDR_SZ + sizeof(value); i++) {
		char byte = i < sizeof(header)	     ? ((char *)&header)[i]
			    : i < BPF_RINGBUF_HDR_SZ ? 0
						     : ((char *)&value)[i - BPF_RINGBUF_HDR_SZ];
		size_t at = (m->writers + i) % SIZE;

		m->records[at] = m->records[at + SIZE] = byte;
	}
	m->writers += 24;
}

static int add_up(void *sum, void *record, size_t size)
{
	uint64_t value;

	cr_assert_eq(size, 12);
	memcpy(&value, record, sizeof(value));
	*(uint64_t *)sum = *(uint64_t *)sum * 10 + value;
	return -1; /* ignored */
}

Test(stream_ring, ends_at_one_that_is_not_complete)
{
	uint64_t passed = 0;
	struct memory m;

	init(&m, 0);
	cr_assert_eq(stream_ring_take(&m.ring, ULONG_MAX, 9, add_up, &passed), 0);
	put(&m, 0, 1);
	put(&m, BPF_RINGBUF_DISCARD_BIT, 2);
	put(&m, 0, 3);
	put(&m, BPF_RINGBUF_BUSY_BIT, 4);
	put(&m, 0, 5);
	cr_assert_eq(stream_ring_take(&m.ring, ULONG_MAX, 9, add_up, &passed), 2);
	cr_assert_eq(passed, 13);
	cr_assert_eq(stream_ring_at(&m.ring), 3 * 24);
	cr_assert_eq(stream_ring_end(&m.ring), 5 * 24);
	cr_assert_eq(stream_ring_take(&m.ring, ULONG_MAX, 9, add_up, &passed), 0);
}

Test(stream_ring, no_more_than_asked)
{
	uint64_t passed = 0;
	struct memory m;

	init(&m, 0);
	for (uint64_t i = 1; i <= 4; i++)
		put(&m, i == 2 ? BPF_RINGBUF_DISCARD_BIT : 0, i);
	cr_assert_eq(stream_ring_take(&m.ring, ULONG_MAX, 2, add_up, &passed), 2);
	cr_assert_eq(passed, 13);
	cr_assert_eq(stream_ring_take(&m.ring, ULONG_MAX, 2, add_up, &passed), 1);
	cr_assert_eq(passed, 134);
}

Test(stream_ring, none_that_begins_at_the_limit)
{
	uint64_t passed = 0;
	struct memory m;

	init(&m, 0);
	for (uint64_t i = 1; i <= 3; i++)
		put(&m, 0, i);
	cr_assert_eq(stream_ring_take(&m.ring, 48, 9, add_up, &passed), 2);
	cr_assert_eq(stream_ring_take(&m.ring, 48, 9, add_up, &passed), 0);
	cr_assert_eq(stream_ring_take(&m.ring, 49, 9, add_up, &passed), 1);
	cr_assert_eq(passed, 123);
}

/* 24 does not divide the size: records lie across the end of the buffer at other bytes each time. */
Test(stream_ring, across_the_end)
{
	struct memory m;

	init(&m, 0);
	for (uint64_t i = 0; i < 100; i++) {
		uint64_t passed = 0;

		put(&m, 0, i);
		put(&m, 0, i + 1);
		cr_assert_eq(stream_ring_take(&m.ring, ULONG_MAX, 9, add_up, &passed), 2);
		cr_assert_eq(passed, i * 10 + i + 1);
	}
	cr_assert_eq(stream_ring_at(&m.ring), 200 * 24);
}
