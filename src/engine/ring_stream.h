/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The records of rings (ring.h) in the order of their times, as stream.h has those of a ring buffer. For programs that
 * send many: a record costs them a fifth, and nobody wakes the reader before a ring is half full.
 *
 *	ring_stream_new()	before the object is prepared
 *	ring_stream_open()	after that; ring_patch() each image
 *	ring_stream_take_all()	last
 *	ring_stream_free()	before the object is released
 */
#ifndef SONDE_ENGINE_RING_STREAM_H
#define SONDE_ENGINE_RING_STREAM_H

#include "stream.h"

struct ring_set;
struct ring_stream;

/* bytes: of all rings. Returns 0, or as of ring_new() with err; then *stream is NULL. */
int ring_stream_new(struct ring_stream **stream, struct object *object, uint64_t bytes, struct err *err);
/*
 * Opens the rings as a source of the intake. fn gets each record from its time on, which is that of CLOCK_MONOTONIC.
 * Returns 0 or -errno with err.
 */
int ring_stream_open(struct ring_stream *stream, struct intake *intake, stream_fn fn, void *ctx, struct err *err);
/* fn is called when records are known to be lost, before those that come after them are passed on. */
void ring_stream_on_loss(struct ring_stream *stream, void (*fn)(void *ctx), void *ctx);
const struct ring_set *ring_stream_rings(const struct ring_stream *stream);
/* As stream_take_all(), but leaves out what is recorded after the begin of the call. */
void ring_stream_take_all(struct ring_stream *stream, bool (*should_hurry)(void *ctx), void *ctx);
/* Returns how many records ring_stream_take_all() could not pass on. */
uint64_t ring_stream_unread(const struct ring_stream *stream);
/* Returns how many were overwritten before they were read, or found no ring. */
uint64_t ring_stream_lost(const struct ring_stream *stream);
/* Also of NULL. */
void ring_stream_free(struct ring_stream *stream);

#endif
