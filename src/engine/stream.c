// SPDX-License-Identifier: BSD-2-Clause
/*
 * Reads records from the ring buffer, and passes them on in order. Waking the reader for each event would cost too
 * much: while there is work it sleeps PAUSE_MS at a time, and programs wake it only if the buffer fills faster
 * (bpf/event.bpf.h). When there was nothing to read for a while, it asks the first event to wake it.
 */

#include <bpf/bpf.h>

#include "base/clock.h"
#include "base/cpus.h"
#include "bpf/event.h"
#include "intake.h"
#include "object.h"
#include "order.h"
#include "stream_pieces.h"
#include "stream_rest.h"
#include "stream_ring.h"

#define PAUSE_MS 40
/* No events are expected. If a wake-up were lost after all, an event would be this late. */
#define IDLE_MS 1000
/* Some records are read and cannot be passed on yet; soon they can. */
#define SETTLE_MS 2
/* How much the clocks of two processors, and the ways to read them, may differ. */
#define CLOCK_NS 10000ULL
/* Records read at a time. */
#define BATCH 1024
/* How often to check signals and the clock. */
#define TURN_NS 50000000ULL
/* How long after the request to stop records are passed on that are newer. */
#define LATE_NS (500 * NS_PER_MS)
/* At the end, how long to wait for a program that still writes its record, and how often to look. */
#define END_NS	    100000000ULL
#define END_LOOK_US 1000

struct stream {
	struct stream_ring ring;
	struct event_reader *reader; /* shared with the programs */
	int drops;
	size_t cpus; /* read before tracing: the number is in a file, and opening it would be an event */
	stream_fn fn;
	void *ctx;

	struct order taken; /* read from the buffer and not passed on yet */
	/* Records from position `mark` on happened after mark_time. */
	unsigned long mark;
	uint64_t mark_time;
	bool marked;
	struct stream_pieces pieces; /* of what is before the mark */

	/* At the end. */
	bool (*should_hurry)(void *ctx);
	void *hurry_ctx;
	uint64_t passed, unread;
	uint64_t end_at, late; /* 0: nobody asked us to stop */
	bool hurried;
	bool gave_up;	    /* a program did not complete its record */
	unsigned long past; /* then what is before this position was passed on or counted */
};

static uint64_t power_of_two(uint64_t least)
{
	uint64_t size = getpagesize();

	while (size < least)
		size *= 2;
	return size;
}

int stream_set_size(struct object *object, uint64_t bytes, struct err *err)
{
	return object_size_map(object, "events", power_of_two(bytes), err);
}

static int take_one(void *ctx, void *data, size_t size)
{
	struct stream *stream = ctx;

	if (size >= sizeof(uint64_t))
		order_add(&stream->taken, data, size);
	return 0;
}

/*
 * A program reads the clock after it has reserved its place in the buffer (bpf/event.bpf.h). Another program can
 * overtake it between the two, and finish long before it. So everything older than a look at the clock is complete
 * when all places have been read that were reserved at that moment.
 */
static void set_mark(struct stream *stream)
{
	stream->mark_time = clock_boot_ns() - CLOCK_NS;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	stream->mark = stream_ring_end(&stream->ring);
	stream->marked = true;
	stream_pieces_divide(&stream->pieces, &stream->ring, stream->mark);
}

/* Passes on what was read, when all of a piece was: what is older than that time and than all that is not read yet. */
static void hand_on_piece(struct stream *stream, const struct stream_piece *piece, uint64_t until, stream_fn fn,
			  void *ctx)
{
	order_hand_on(&stream->taken, piece->later < until ? piece->later : until, fn, ctx);
}

/* Reads one batch. Returns false if there is no more at the moment. */
static bool take_batch(struct stream *stream)
{
	const struct stream_piece *piece;
	bool is_last;
	size_t n;

	if (!stream->marked)
		set_mark(stream);
	piece = &stream->pieces.v[stream->pieces.next];
	is_last = stream->pieces.next + 1 == stream->pieces.n;
	n = stream_ring_take(&stream->ring, is_last ? ULONG_MAX : piece->end, BATCH, take_one, stream);
	if (stream_ring_at(&stream->ring) < piece->end)
		return n == BATCH;
	hand_on_piece(stream, piece, stream->mark_time, stream->fn, stream->ctx);
	stream->marked = !is_last;
	stream->pieces.next++;
	return !is_last || n == BATCH;
}

static void say_awake(struct stream *stream, bool awake)
{
	__atomic_store_n(&stream->reader->wake_at, stream->ring.size / 4, __ATOMIC_RELAXED);
	__atomic_store_n(&stream->reader->awake, awake, __ATOMIC_SEQ_CST);
}

static int take(void *ctx)
{
	struct stream *stream = ctx;
	bool was_awake = stream->reader->awake, had = stream->taken.n, more;
	unsigned long at = stream_ring_at(&stream->ring);
	uint64_t start = clock_boot_ns();

	do
		more = take_batch(stream);
	while (more && clock_boot_ns() - start < TURN_NS);
	if (stream_ring_at(&stream->ring) != at || had) {
		say_awake(stream, true);
		return more ? 0 : stream->taken.n ? SETTLE_MS
						  : PAUSE_MS;
	}
	/* a program that saw us awake may be about to submit without waking us: look once more, then sleep */
	say_awake(stream, false);
	return was_awake ? PAUSE_MS : IDLE_MS;
}

/*
 * Reads up to that position. The time limit is for a program that still writes its record, not for what is there to
 * read. Returns false if the program took longer.
 */
static bool take_up_to(struct stream *stream, unsigned long end)
{
	unsigned long at = stream_ring_at(&stream->ring);
	uint64_t since = clock_boot_ns();

	while (at < end) {
		unsigned long was = at;

		stream_ring_take(&stream->ring, end, BATCH, take_one, stream);
		at = stream_ring_at(&stream->ring);
		if (at != was)
			since = clock_boot_ns();
		else if (clock_boot_ns() - since > END_NS)
			return false;
		else /* sonde may have a higher priority than the program's task, and the same processor */
			usleep(END_LOOK_US);
	}
	return true;
}

/* Reads up to that position, and passes on what is not newer than that time. Returns false as take_up_to() does. */
static bool take_pieces(struct stream *stream, unsigned long end, uint64_t until, stream_fn fn, void *ctx)
{
	stream->marked = false;
	stream_pieces_divide(&stream->pieces, &stream->ring, end);
	vec_each(piece, &stream->pieces) {
		if (!take_up_to(stream, piece->end))
			return false;
		hand_on_piece(stream, piece, until, fn, ctx);
	}
	return true;
}

void stream_take_until(struct stream *stream, uint64_t time)
{
	if (!take_pieces(stream, stream_ring_end(&stream->ring), time, stream->fn, stream->ctx))
		order_hand_on(&stream->taken, time, stream->fn, stream->ctx);
}

/* Takes the complete records behind one that is not, and counts the others. */
static void give_up(struct stream *stream, unsigned long end)
{
	unsigned long at = stream->gave_up ? stream->past : stream_ring_at(&stream->ring);

	stream->unread += stream_rest(stream->ring.records, stream->ring.size, at, end, take_one, stream);
	stream->gave_up = true;
	stream->past = end;
}

static bool is_late(const struct stream *stream, const void *record)
{
	uint64_t time;

	memcpy(&time, record, sizeof(time));
	return stream->end_at && time > stream->end_at && clock_boot_ns() - stream->end_at > LATE_NS;
}

static void pass_on_last(const void *record, size_t size, void *ctx)
{
	struct stream *stream = ctx;

	if (!stream->hurried && stream->should_hurry && !(stream->passed++ % BATCH))
		stream->hurried = stream->should_hurry(stream->hurry_ctx);
	if (stream->hurried)
		stream->unread++;
	else if (is_late(stream, record))
		stream->late++;
	else
		stream->fn(record, size, stream->ctx);
}

void stream_take_all(struct stream *stream, bool (*should_hurry)(void *ctx), void *ctx)
{
	unsigned long end = stream_ring_end(&stream->ring);

	stream->should_hurry = should_hurry;
	stream->hurry_ctx = ctx;
	if (stream->gave_up || !take_pieces(stream, end, UINT64_MAX, pass_on_last, stream))
		give_up(stream, end);
	order_hand_on(&stream->taken, UINT64_MAX, pass_on_last, stream);
}

uint64_t stream_unread(const struct stream *stream)
{
	return stream->unread;
}

void stream_end_at(struct stream *stream, uint64_t time)
{
	stream->end_at = time;
}

uint64_t stream_late(const struct stream *stream)
{
	return stream->late;
}

uint64_t stream_dropped(const struct stream *stream, uint32_t why)
{
	__free uint64_t *each = base_alloc(stream->cpus * sizeof(*each));
	uint64_t sum = 0;

	if (bpf_map_lookup_elem(stream->drops, &why, each))
		return 0;
	for (size_t i = 0; i < stream->cpus; i++)
		sum += each[i];
	return sum;
}

int stream_open(struct stream **stream, const struct object *object, struct intake *intake, stream_fn fn, void *ctx,
		struct err *err)
{
	int events = object_map_fd(object, "events"), ret;
	struct stream *s = base_alloc(sizeof(*s));

	*stream = NULL;
	s->fn = fn;
	s->ctx = ctx;
	s->cpus = cpus_ids();
	s->drops = object_map_fd(object, "event_drops");
	s->reader = object_memory(object, ".bss", sizeof(*s->reader));
	ret = stream_ring_open(&s->ring, events);
	if (ret)
		err_set(err, ret, "cannot open the ring buffer: %s", strerror(-ret));
	else
		ret = intake_watch(intake, events, err);
	if (ret) {
		stream_close(s);
		return ret;
	}
	intake_add(intake, INTAKE_STREAM, take, s);
	*stream = s;
	return 0;
}

void stream_close(struct stream *stream)
{
	if (!stream)
		return;
	stream_ring_close(&stream->ring);
	stream_pieces_release(&stream->pieces);
	order_release(&stream->taken);
	free(stream);
}
