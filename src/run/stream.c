// SPDX-License-Identifier: BSD-2-Clause
/*
 * Ring buffer to records in order. The reader does not want to be woken for each event: while there is
 * something to do it sleeps PAUSE_MS at a time, and programs wake it only when the buffer fills faster
 * (bpf/event.bpf.h). When there was nothing for a while, it asks to be woken by the first.
 */
#include <sys/epoll.h>
#include <time.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/cpus.h"
#include "base/str.h"
#include "bpf/event.h"
#include "stream.h"

#define PAUSE_MS 40
/* Nothing is expected; should a wake-up be lost after all, this is how late an event is. */
#define IDLE_MS 1000
/*
 * A program takes the time after it has its place in the buffer, and is done a moment later. What is older than
 * this has nothing before it that could still come.
 */
#define SETTLE_NS 1000000ULL
#define SETTLE_MS 2
/* Copied out of the buffer before they are handed on. */
#define BATCH_BYTES (256 * 1024)
/* Signals and the clock are looked at so often. */
#define TURN_NS 50000000ULL

struct record {
	uint64_t time;
	size_t at, size; /* in the batch */
};

struct stream {
	struct ring_buffer *buffer;
	struct ring *ring;
	struct event_reader *reader; /* shared with the programs */
	size_t buffer_size;
	int epoll, drops;
	stream_fn fn;
	void *ctx;

	/* taken out, not handed on yet */
	struct record *v;
	size_t n, cap;
	struct str bytes;
	bool unordered;
};

static uint64_t boot_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_BOOTTIME, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static uint64_t power_of_two(uint64_t least)
{
	uint64_t size = getpagesize();

	while (size < least)
		size *= 2;
	return size;
}

int stream_set_size(struct bpf_object *object, uint64_t bytes)
{
	struct bpf_map *map = bpf_object__find_map_by_name(object, "events");

	return map ? bpf_map__set_max_entries(map, power_of_two(bytes)) : -ENOENT;
}

/* Into the batch; a negative value ends this helping, the record is taken all the same. */
static int take_one(void *ctx, void *data, size_t size)
{
	struct stream *stream = ctx;
	const struct event *event = data;
	struct record *record;

	if (size < sizeof(*event))
		return 0;
	if (stream->n && event->time < stream->v[stream->n - 1].time)
		stream->unordered = true;
	record = vec_push(stream);
	record->time = event->time;
	record->at = stream->bytes.len;
	record->size = size;
	str_addn(&stream->bytes, data, size);
	/* the next one's struct has to begin at an address that suits it */
	str_add_fill(&stream->bytes, 0, -size & 7);
	return stream->bytes.len >= BATCH_BYTES ? -ENOBUFS : 0;
}

/* By time; of the same time, as they came. */
static int by_time(const void *pa, const void *pb)
{
	const struct record *a = pa, *b = pb;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

/* What stays is moved to the front, in order: few records, those of the last moment. */
static void keep(struct stream *stream, size_t first)
{
	__str struct str kept = {};
	size_t n = stream->n - first;

	for (size_t i = 0; i < n; i++) {
		struct record *record = &stream->v[first + i];

		str_addn(&kept, stream->bytes.data + record->at, record->size);
		record->at = kept.len - record->size;
		str_add_fill(&kept, 0, -record->size & 7);
	}
	memmove(stream->v, stream->v + first, n * sizeof(*stream->v));
	stream->n = n;
	str_reset(&stream->bytes);
	if (n)
		str_addn(&stream->bytes, kept.data, kept.len);
}

/* Hands on what happened until then. */
static void hand_on(struct stream *stream, uint64_t until)
{
	size_t i = 0;

	if (stream->unordered)
		qsort(stream->v, stream->n, sizeof(*stream->v), by_time);
	stream->unordered = false;
	for (; i < stream->n && stream->v[i].time <= until; i++)
		stream->fn((const void *)(stream->bytes.data + stream->v[i].at), stream->v[i].size, stream->ctx);
	if (i)
		keep(stream, i);
}

/* One batch; false: there is no more at the moment. */
static bool take_batch(struct stream *stream, uint64_t until)
{
	int ret = ring__consume(stream->ring);

	hand_on(stream, until);
	return ret == -ENOBUFS;
}

static void say_awake(struct stream *stream, bool awake)
{
	__atomic_store_n(&stream->reader->wake_at, stream->buffer_size / 4, __ATOMIC_RELAXED);
	__atomic_store_n(&stream->reader->awake, awake, __ATOMIC_SEQ_CST);
}

int stream_take(struct stream *stream)
{
	bool was_awake = stream->reader->awake, more = true;
	uint64_t start = boot_ns(), now = start;
	struct epoll_event woken;
	size_t had = stream->n;
	unsigned long at = ring__consumer_pos(stream->ring);

	epoll_wait(stream->epoll, &woken, 1, 0);
	while (more && now - start < TURN_NS) {
		more = take_batch(stream, now - SETTLE_NS);
		now = boot_ns();
	}
	if (ring__consumer_pos(stream->ring) != at || had) {
		say_awake(stream, true);
		return more ? 0 : stream->n ? SETTLE_MS
					    : PAUSE_MS;
	}
	/* who has seen us awake may be about to submit without waking: one more look, then sleep */
	say_awake(stream, false);
	return was_awake ? PAUSE_MS : IDLE_MS;
}

void stream_take_all(struct stream *stream)
{
	unsigned long end = ring__producer_pos(stream->ring);

	do {
		unsigned long at = ring__consumer_pos(stream->ring);

		if (!take_batch(stream, UINT64_MAX) && ring__consumer_pos(stream->ring) == at)
			break;
	} while (ring__consumer_pos(stream->ring) < end);
}

uint64_t stream_dropped(const struct stream *stream, uint32_t why)
{
	size_t n = cpus_ids();
	__free uint64_t *each = base_alloc(n * sizeof(*each));
	uint64_t sum = 0;

	if (bpf_map_lookup_elem(stream->drops, &why, each))
		return 0;
	for (size_t i = 0; i < n; i++)
		sum += each[i];
	return sum;
}

int stream_fd(const struct stream *stream)
{
	return stream->epoll;
}

/* Edge-triggered: readable once for each wake-up, not for as long as there is something in the buffer. */
static int watch(struct stream *stream, int map)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };

	stream->epoll = epoll_create1(EPOLL_CLOEXEC);
	return stream->epoll < 0 || epoll_ctl(stream->epoll, EPOLL_CTL_ADD, map, &event) ? -errno : 0;
}

int stream_open(struct stream **stream, struct bpf_object *object, stream_fn fn, void *ctx,
		struct err *err)
{
	struct bpf_map *events = bpf_object__find_map_by_name(object, "events");
	struct bpf_map *bss = bpf_object__find_map_by_name(object, ".bss");
	struct stream *s = base_alloc(sizeof(*s));
	size_t size = 0;
	int ret;

	*stream = NULL;
	s->fn = fn;
	s->ctx = ctx;
	s->epoll = -1;
	s->drops = bpf_object__find_map_fd_by_name(object, "event_drops");
	s->buffer_size = events ? bpf_map__max_entries(events) : 0;
	s->reader = bss ? bpf_map__initial_value(bss, &size) : NULL;
	s->buffer = events ? ring_buffer__new(bpf_map__fd(events), take_one, s, NULL) : NULL;
	ret = s->buffer ? 0 : -errno;
	if (!ret && (size < sizeof(*s->reader) || s->drops < 0))
		ret = -ENOENT;
	if (!ret)
		ret = watch(s, bpf_map__fd(events));
	if (ret) {
		stream_close(s);
		return err_set(err, ret, "cannot open the ring buffer: %s", strerror(-ret));
	}
	s->ring = ring_buffer__ring(s->buffer, 0);
	*stream = s;
	return 0;
}

void stream_close(struct stream *stream)
{
	if (!stream)
		return;
	ring_buffer__free(stream->buffer);
	if (stream->epoll >= 0)
		close(stream->epoll);
	str_release(&stream->bytes);
	free(stream->v);
	free(stream);
}
