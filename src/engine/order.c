// SPDX-License-Identifier: BSD-2-Clause
/* Sorts records by time. Most arrive in order; then nothing is sorted. */
#include "order.h"

/* Aligns the next record for its struct. */
static void add_bytes(struct str *bytes, const void *data, size_t size)
{
	str_addn(bytes, data, size);
	str_add_fill(bytes, 0, -size & 7);
}

void order_add(struct order *order, const void *data, size_t size)
{
	struct order_record *record;
	uint64_t time;

	memcpy(&time, data, sizeof(time));
	if (order->n && time < order->v[order->n - 1].time)
		order->unordered = true;
	record = vec_push(order);
	record->time = time;
	record->at = order->bytes.len;
	record->size = size;
	add_bytes(&order->bytes, data, size);
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
		fn(order->bytes.data + order->v[i].at, order->v[i].size, ctx);
	if (i)
		keep(order, i);
}

void order_release(struct order *order)
{
	str_release(&order->bytes);
	free(order->v);
	*order = (struct order){};
}
