/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For engines: stores records until they can be passed on in order of time. Of a record it knows only its time.
 */
#ifndef SONDE_ENGINE_ORDER_H
#define SONDE_ENGINE_ORDER_H

#include "base/str.h"
#include "stream.h"

struct order_record {
	uint64_t time;
	size_t at, size; /* in bytes */
};

/* Initialise with {}. n: the number of records. */
struct order {
	vec(struct order_record);
	struct str bytes;
	bool unordered;
};

/* Adds a copy of a record of size bytes, 8 at least, whose first 64 bits are its time. */
void order_add(struct order *order, const void *record, size_t size);
/*
 * Passes on all records up to and including that time; those of the same time in the order they were added. fn must not
 * add.
 */
void order_hand_on(struct order *order, uint64_t until, stream_fn fn, void *ctx);
void order_release(struct order *order);

#endif
