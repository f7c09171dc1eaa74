// SPDX-License-Identifier: BSD-2-Clause
/* Records behind one that is not complete: those that are complete are passed on, the others are counted. */
#include <linux/bpf.h>

#include <criterion/criterion.h>

#include "engine/stream_rest.h"

#define SIZE 128

struct passed {
	uint64_t v[8];
	size_t n;
};

static int pass(void *ctx, void *record, size_t size)
{
	struct passed *passed = ctx;

	cr_assert_eq(size, 12);
	memcpy(&passed->v[passed->n++], record, sizeof(*passed->v));
	return 0;
}

/* Writes a record of 12 bytes as the kernel does: 24 with the header, and filled up. Returns where the next begins. */
static unsigned long put(char *records, unsigned long at, uint32_t flags, uint64_t value)
{
	uint32_t header = 12 | flags;

	for (int copy = 0; copy < 2; copy++) {
		char *record = records + (at % SIZE + copy * SIZE) % (2 * SIZE);

		memcpy(record, &header, sizeof(header));
		memcpy(record + BPF_RINGBUF_HDR_SZ, &value, sizeof(value));
	}
	return at + 24;
}

Test(stream_rest, complete_are_passed_on_others_counted)
{
	_Alignas(8) char records[3 * SIZE] = {};
	unsigned long begin = 10 * SIZE + 72, at = begin;
	struct passed passed = {};

	at = put(records, at, BPF_RINGBUF_BUSY_BIT, 1);
	at = put(records, at, 0, 2);
	at = put(records, at, BPF_RINGBUF_DISCARD_BIT, 3);
	at = put(records, at, BPF_RINGBUF_BUSY_BIT, 4);
	at = put(records, at, 0, 5);
	cr_assert_eq(stream_rest(records, SIZE, begin, at, pass, &passed), 2);
	cr_assert_eq(passed.n, 2);
	cr_assert_eq(passed.v[0], 2);
	cr_assert_eq(passed.v[1], 5);
}

Test(stream_rest, nothing_is_left)
{
	char records[8] = {};

	cr_assert_eq(stream_rest(records, SIZE, 72, 72, pass, NULL), 0);
}
