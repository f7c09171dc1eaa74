// SPDX-License-Identifier: BSD-2-Clause
/* Sorts events by time. Most arrive in order; then nothing is sorted. */
#include "bpf/event.h"
#include "order.h"

/* Aligns the next record for its struct. */
static void add_bytes(struct str *bytes, const void *data, size_t size)
{
	str_addn(bytes, data, size);
	str_add_fill(bytes, 0, -size & 7);
}

void order_add(struct order *order, const struct event *event, size_t size)
{
	struct order_record *record;

	if (order->n && event->time < order->v[order->n - 1].time)
		order->unordered = true;
	record = vec_push(order);
	record->time = event->time;
	record->at = order->bytes.len;
	record->size = size;
	add_bytes(&order->bytes, event, size);
}

static int by_time(const void *pa, const void *pb)
{
	const struct order_record *a = pa, *b = pb;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

/* Moves the remaining records to the front, in order: they are few, of the last moment. */
static void keep(struct order *order, size_t first)
{
	__str struct str kept = {};
	size_t n = order->n - first;

	for (size_t i = 0; i < n; i++) {
		struct order_record *record = &order->v[first + i];
		size_t at = kept.len;

		add_bytes(&kept, order->bytes.data + record->at, record->size);
		record->at = at;
	}
	memmove(order->v, order->v + first, n * sizeof(*order->v));
	order->n = n;
	str_reset(&order->bytes);
	str_addn(&order->bytes, kept.data, kept.len);
}

void order_hand_on(struct order *order, uint64_t until, stream_fn fn, void *ctx)
{
	size_t i = 0;

	if (order->unordered)
		qsort(order->v, order->n, sizeof(*order->v), by_time);
	order->unordered = false;
	for (; i < order->n && order->v[i].time <= until; i++)
		fn((const void *)(order->bytes.data + order->v[i].at), order->v[i].size, ctx);
	if (i)
		keep(order, i);
}

void order_release(struct order *order)
{
	str_release(&order->bytes);
	free(order->v);
	*order = (struct order){};
}
