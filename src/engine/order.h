/* SPDX-License-Identifier: BSD-2-Clause */
/* Within engine/: events that came in some order, kept until they can be handed on in order of time. Knows struct event only. */
#ifndef SONDE_ORDER_H
#define SONDE_ORDER_H

#include "base/str.h"
#include "stream.h"

struct order_record {
	uint64_t time;
	size_t at, size; /* in bytes */
};

/* Initialise with {}. n: how many there are. */
struct order {
	struct order_record *v;
	size_t n, cap;
	struct str bytes;
	bool unordered;
};

/* Copies it. */
void order_add(struct order *order, const struct event *event, size_t size);
/* Hands on what happened until then, that included; of the same time, as it was added. fn adds nothing. */
void order_hand_on(struct order *order, uint64_t until, stream_fn fn, void *ctx);
void order_release(struct order *order);

#endif
