// SPDX-License-Identifier: BSD-2-Clause
/* Events of all rings in the order of time: a heap of rings, each of which has its records sorted. */
#include "recording_part.h"

static bool is_earlier(const struct recording_ring *a, const struct recording_ring *b)
{
	const struct recording_entry *x = &a->entries.v[a->at], *y = &b->entries.v[b->at];

	if (x->time != y->time)
		return x->time < y->time;
	return a < b; /* the same order in each run */
}

static void sift_down(struct recording *r, size_t at)
{
	for (;;) {
		size_t least = at;

		for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < r->n_heap; child++)
			if (is_earlier(r->heap[child], r->heap[least]))
				least = child;
		if (least == at)
			return;
		struct recording_ring *ring = r->heap[at];

		r->heap[at] = r->heap[least];
		r->heap[least] = ring;
		at = least;
	}
}

static int begin(struct recording *r)
{
	r->n_heap = 0;
	r->info.left_out = 0;
	free(r->heap);
	r->heap = base_alloc((r->rings.n + 1) * sizeof(*r->heap));
	vec_each(ring, &r->rings) {
		int ret = recording_fill(r, ring);

		if (ret)
			return ret;
		if (ring->at < ring->entries.n)
			r->heap[r->n_heap++] = ring;
	}
	for (size_t i = r->n_heap / 2; i-- > 0;)
		sift_down(r, i);
	r->begun = true;
	return 0;
}

/* The event that was passed on last is not needed any more. */
static int advance(struct recording *r)
{
	struct recording_ring *ring = r->taken;
	int ret;

	r->taken = NULL;
	ring->at++;
	ret = recording_fill(r, ring);
	if (ret)
		return ret;
	if (ring->at == ring->entries.n)
		r->heap[0] = r->heap[--r->n_heap];
	if (r->n_heap)
		sift_down(r, 0);
	return 0;
}

static void make_event(struct recording *r, struct recording_ring *ring, struct recording_event *event)
{
	const struct recording_entry *entry = &ring->entries.v[ring->at];

	*event = (struct recording_event){ .time = entry->time, .cpu = ring->cpu, .lane = ring->lane, .task = -1 };
	if (entry->at == RECORDING_LOSS) {
		event->lost = entry->number;
		event->since = ring->passed;
	} else {
		const uint64_t *words = ring->words + entry->at;
		uint32_t id = words[0] >> r->ring.kind_at & ((1u << r->ring.kind_bits) - 1);

		event->number = entry->number;
		event->kind = r->by_id[id] ? r->by_id[id] : recording_unknown_kind(r, id);
		event->words = words + 1;
		event->n = (words[0] >> r->ring.words_at & ((1u << r->ring.words_bits) - 1)) + r->ring.words_extra - 1;
		ring->passed = entry->time;
	}
}

static void leave_out(struct recording *r, const struct recording_ring *ring, struct recording_event *event)
{
	r->info.left_out++;
	*event = (struct recording_event){
		.time = event->time,
		.cpu = ring->cpu,
		.lane = ring->lane,
		.task = -1,
		.lost = 1,
		.since = ring->passed,
	};
}

int recording_next(struct recording *r, struct recording_event *event)
{
	int ret = r->err.code;

	if (!ret && !r->begun)
		ret = begin(r);
	else if (!ret && r->taken)
		ret = advance(r);
	if (ret)
		return r->err.code ? r->err.code : err_set(&r->err, ret, "cannot read %s: %s", r->name, strerror(-ret));
	if (!r->n_heap)
		return 0;
	r->taken = r->heap[0];
	make_event(r, r->taken, event);
	if (event->kind && !recording_tasks_fit(r, event))
		leave_out(r, r->taken, event);
	recording_tasks_event(r, event);
	return 1;
}

void recording_rewind(struct recording *r)
{
	vec_each(ring, &r->rings)
		recording_ring_reset(ring);
	r->begun = false;
	r->taken = NULL;
	r->n_heap = 0;
	r->err = (struct err){};
	recording_tasks_begin(r);
	recording_calls_rewind(r);
}

const struct err *recording_error(const struct recording *r)
{
	return &r->err;
}

const struct recording_info *recording_info(const struct recording *r)
{
	return &r->info;
}

int64_t recording_wall_offset(const struct recording *r)
{
	return r->info.start.wall - r->info.start.monotonic;
}

const char *recording_text(const struct recording *r, enum layout_space space, uint64_t id)
{
	struct recording_text_id key = { space, id };
	uint32_t found = set_find(&r->text_ids, &key, sizeof(key));

	return found == SET_NONE ? NULL : r->texts.v[found];
}
