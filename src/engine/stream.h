/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The reader's side of bpf/event.bpf.h: reads records from the ring buffer, sorts them by time, and counts those that
 * found no room. Of a record it knows only the first 64 bits: its time, in ns since boot.
 */
#ifndef SONDE_ENGINE_STREAM_H
#define SONDE_ENGINE_STREAM_H

#include "base/base.h"

struct intake;
struct object;
struct stream;

/* Receives one record of size bytes, aligned to 8 and valid during the call. */
typedef void (*stream_fn)(const void *record, size_t size, void *ctx);

/*
 * Sets the size of the buffer of an object that is not prepared yet: bytes, rounded up to a size that the kernel
 * accepts.
 */
int stream_set_size(struct object *object, uint64_t bytes, struct err *err);

/*
 * Opens the buffer of a prepared object, which must outlive the stream, as a source of the intake: that passes on the
 * records that are old enough to be in order, within some tens of milliseconds. Returns 0 or -errno with err; then
 * *stream is NULL.
 */
int stream_open(struct stream **stream, const struct object *object, struct intake *intake, stream_fn fn, void *ctx,
		struct err *err);
void stream_close(struct stream *stream);

/* Takes out what there is, and passes on what was recorded up to that time, in ns since boot. */
void stream_take_until(struct stream *stream, uint64_t time);
/*
 * Passes on everything that was in the buffer when it was called, however long that takes; to be called last. It counts
 * what it cannot pass on: a record that a program does not complete soon, and, when should_hurry() returns true, the
 * rest. should_hurry may be NULL.
 */
void stream_take_all(struct stream *stream, bool (*should_hurry)(void *ctx), void *ctx);
/* Returns how many records stream_take_all() could not pass on. */
uint64_t stream_unread(const struct stream *stream);
/*
 * Before stream_take_all(): the user asked us to stop at that time, in ns since boot. Of what was recorded later, it
 * passes on as much as it can within half a second of the request, and counts the rest: passing on may itself cause
 * events. Records that are older are passed on however long it takes.
 */
void stream_end_at(struct stream *stream, uint64_t time);
/* Returns how many records stream_take_all() counted for that. */
uint64_t stream_late(const struct stream *stream);

/* Returns the count of a reason, an enum event_loss, since the beginning. */
uint64_t stream_dropped(const struct stream *stream, uint32_t why);

#endif
