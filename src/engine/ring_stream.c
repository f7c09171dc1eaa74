// SPDX-License-Identifier: BSD-2-Clause
/* Sorts what the rings of all processors have, and passes it on. Of a record it knows only its time. */
#include "base/clock.h"
#include "bpf/ring.h"
#include "intake.h"
#include "order.h"
#include "ring.h"
#include "ring_stream.h"

#define PAUSE_MS 40
/* So many times nothing was there: then it may take longer until something is seen. */
#define QUIET	 25
#define QUIET_MS 200
/* A program writes its record just now. */
#define SETTLE_MS 2
/* How much the clocks of two processors may differ. */
#define CLOCK_NS 10000ULL
/* At the end, how long to wait for a program that still writes its record, and how often to look. */
#define END_NS	    (100 * NS_PER_MS)
#define END_LOOK_US 1000
/* How often to ask whether to hurry. */
#define BATCH 1024

struct ring_stream {
	struct ring_set *set;
	stream_fn fn;
	void *ctx;
	struct order taken; /* read from the rings and not passed on yet */
	uint64_t lost;
	void (*on_loss)(void *ctx);
	void *loss_ctx;
	unsigned int quiet;

	/* At the end. */
	bool (*should_hurry)(void *ctx);
	void *hurry_ctx;
	bool hurried;
	uint64_t passed, unread;
};

int ring_stream_new(struct ring_stream **stream, struct object *object, uint64_t bytes, struct err *err)
{
	struct ring_set *set;
	int ret = ring_new(&set, object, bytes, RING_STREAM, err);

	*stream = NULL;
	if (ret)
		return ret;
	*stream = base_alloc(sizeof(**stream));
	(*stream)->set = set;
	return 0;
}

static int add_run(const struct ring_run *run, void *ctx)
{
	struct ring_stream *stream = ctx;

	stream->lost += run->lost;
	for (size_t at = 0; at < run->n_words;) {
		uint32_t words = ring_header_words(run->words[at]);

		order_add(&stream->taken, &run->words[at + RING_TIME], (words - RING_TIME) * sizeof(*run->words));
		at += words;
	}
	return 0;
}

static void read_rings(struct ring_stream *stream)
{
	uint64_t before = ring_stream_lost(stream);

	ring_read(stream->set, add_run, stream);
	if (stream->on_loss && ring_stream_lost(stream) != before)
		stream->on_loss(stream->loss_ctx);
}

/*
 * What is older than a look at the clock has a place in a ring before that is read, but what a program was interrupted in
 * between its own look and its place: that comes late. All that its thread had recorded before has come then.
 */
static int take(void *ctx)
{
	struct ring_stream *stream = ctx;
	uint64_t until = clock_monotonic_ns() - CLOCK_NS;

	read_rings(stream);
	if (ring_waiting(stream->set))
		return SETTLE_MS;
	stream->quiet = stream->taken.n ? 0 : stream->quiet + 1;
	order_hand_on(&stream->taken, until, stream->fn, stream->ctx);
	return stream->quiet > QUIET ? QUIET_MS : PAUSE_MS;
}

int ring_stream_open(struct ring_stream *stream, struct intake *intake, stream_fn fn, void *ctx, struct err *err)
{
	int ret = ring_open(stream->set, err);

	if (!ret)
		ret = intake_watch(intake, ring_fd(stream->set), err);
	stream->fn = fn;
	stream->ctx = ctx;
	if (!ret)
		intake_add(intake, INTAKE_STREAM, take, stream);
	return ret;
}

void ring_stream_on_loss(struct ring_stream *stream, void (*fn)(void *ctx), void *ctx)
{
	stream->on_loss = fn;
	stream->loss_ctx = ctx;
}

const struct ring_set *ring_stream_rings(const struct ring_stream *stream)
{
	return stream->set;
}

static void pass_on_last(const void *record, size_t size, void *ctx)
{
	struct ring_stream *stream = ctx;

	if (!stream->hurried && stream->should_hurry && !(stream->passed++ % BATCH))
		stream->hurried = stream->should_hurry(stream->hurry_ctx);
	if (stream->hurried)
		stream->unread++;
	else
		stream->fn(record, size, stream->ctx);
}

/*
 * Programs may go on. What they record from now on is left out: the rings are read one after the other, and a call that
 * ends on one processor would be there without a call in it that has ended on another.
 */
void ring_stream_take_all(struct ring_stream *stream, bool (*should_hurry)(void *ctx), void *ctx)
{
	uint64_t since = clock_monotonic_ns();

	stream->should_hurry = should_hurry;
	stream->hurry_ctx = ctx;
	ring_end(stream->set);
	read_rings(stream);
	while (ring_waiting(stream->set) && clock_monotonic_ns() - since < END_NS) {
		/* sonde may have a higher priority than the program's task, and the same processor */
		usleep(END_LOOK_US);
		read_rings(stream);
	}
	stream->unread += ring_waiting(stream->set);
	order_hand_on(&stream->taken, since, pass_on_last, stream);
}

uint64_t ring_stream_unread(const struct ring_stream *stream)
{
	return stream->unread;
}

uint64_t ring_stream_lost(const struct ring_stream *stream)
{
	return stream->lost + ring_unreported(stream->set) + ring_missed(stream->set);
}

void ring_stream_free(struct ring_stream *stream)
{
	if (!stream)
		return;
	ring_free(stream->set);
	order_release(&stream->taken);
	free(stream);
}
