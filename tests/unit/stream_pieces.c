// SPDX-License-Identifier: BSD-2-Clause
/* A full buffer in pieces: what is passed on piece by piece is sorted as if all of it had been read before. */
#include <linux/bpf.h>

#include <criterion/criterion.h>

#include "engine/order.h"
#include "engine/stream_pieces.h"

#define SIZE (1024UL * 1024)
#define AT   (7 * SIZE - 12344) /* so that records lie across the end */

struct memory {
	unsigned long read_to, writers;
	char *records;
	struct stream_ring ring;
	uint64_t random;
	/* what was passed on */
	struct order order;
	uint64_t last, n;
	size_t most; /* bytes in the order */
};

static void init(struct memory *m, uint64_t seed)
{
	*m = (struct memory){ .read_to = AT, .writers = AT, .random = seed };
	m->records = base_alloc(SIZE + STREAM_RING_RECORD);
	m->ring = (struct stream_ring){ &m->read_to, (char *)&m->writers, m->records, SIZE };
}

static void release(struct memory *m)
{
	order_release(&m->order);
	free(m->records);
}

static uint32_t random_below(struct memory *m, uint32_t n)
{
	m->random = m->random * 6364136223846793005ULL + 1442695040888963407ULL;
	return (m->random >> 33) % n;
}

static void put_word(struct memory *m, unsigned long at, uint64_t word)
{
	at &= SIZE - 1;
	memcpy(m->records + at, &word, sizeof(word));
	if (at < STREAM_RING_RECORD)
		memcpy(m->records + SIZE + at, &word, sizeof(word));
}

static void put(struct memory *m, uint32_t header, uint64_t time)
{
	uint32_t size = header & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);

	put_word(m, m->writers, header);
	put_word(m, m->writers + 8, time);
	m->writers += 8 + (size + 7) / 8 * 8;
}

/* Fills the buffer. Of 16 records one is thrown away, one waited before it looked at the clock, one was early. */
static uint64_t fill(struct memory *m)
{
	uint64_t now = 1000000, n = 0;

	while (m->writers + 300 < AT + SIZE) {
		uint32_t size = 8 + random_below(m, 200), kind = random_below(m, 16);
		uint64_t time = kind == 1 ? now + random_below(m, 2000) : kind == 2 ? now - random_below(m, 2000)
										      : now;

		put(m, size | (kind ? 0 : BPF_RINGBUF_DISCARD_BIT), time);
		n += !!kind;
		now += random_below(m, 20);
	}
	return n;
}

static int take(void *ctx, void *record, size_t size)
{
	struct memory *m = ctx;

	order_add(&m->order, record, size);
	m->most = m->order.bytes.len > m->most ? m->order.bytes.len : m->most;
	return 0;
}

static void pass(const void *record, size_t size, void *ctx)
{
	struct memory *m = ctx;
	uint64_t time;

	memcpy(&time, record, sizeof(time));
	cr_assert_geq(time, m->last, "a record is passed on behind a newer one");
	m->last = time;
	m->n++;
}

Test(stream_pieces, passed_on_in_order_and_little_is_held)
{
	for (uint64_t seed = 0; seed < 20; seed++) {
		struct stream_pieces pieces = {};
		struct memory m;
		uint64_t n;

		init(&m, seed);
		n = fill(&m);
		stream_pieces_divide(&pieces, &m.ring, m.writers);
		cr_assert_eq(pieces.n, SIZE / STREAM_PIECE);
		vec_each(piece, &pieces) {
			stream_ring_take(&m.ring, piece->end, SIZE_MAX, take, &m);
			cr_assert_geq(stream_ring_at(&m.ring), piece->end);
			order_hand_on(&m.order, piece->later, pass, &m);
		}
		cr_assert_eq(m.n, n);
		cr_assert_lt(m.most, 2 * STREAM_PIECE, "%zu bytes were held", m.most);
		stream_pieces_release(&pieces);
		release(&m);
	}
}

Test(stream_pieces, one_that_is_not_complete_has_no_time)
{
	struct stream_pieces pieces = {};
	struct memory m;

	init(&m, 1);
	fill(&m);
	put(&m, 8 | BPF_RINGBUF_BUSY_BIT, 0);
	stream_pieces_divide(&pieces, &m.ring, m.writers);
	cr_assert_eq(pieces.n, 1);
	cr_assert_eq(pieces.v[0].end, m.writers);
	cr_assert_eq(pieces.v[0].later, UINT64_MAX);
	stream_pieces_divide(&pieces, &m.ring, AT);
	cr_assert_eq(pieces.n, 1, "nothing is a piece, too");
	cr_assert_eq(pieces.v[0].end, AT);
	stream_pieces_release(&pieces);
	release(&m);
}
