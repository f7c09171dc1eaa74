/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The reader's side of bpf/event.bpf.h: takes records out of the ring buffer, puts them in order of
 * time, and keeps count of those for which there was no room. Knows struct event only.
 */
#ifndef SONDE_STREAM_H
#define SONDE_STREAM_H

#include "base/base.h"

struct object;
struct event;
struct stream;

/* One record, size bytes, valid during the call. */
typedef void (*stream_fn)(const struct event *event, size_t size, void *ctx);

/* Before the object is prepared: the size of its buffer in bytes, rounded up to what the kernel takes. */
int stream_set_size(struct object *object, uint64_t bytes, struct err *err);

/* Of a prepared object, which must outlive it. On error *stream is NULL. */
int stream_open(struct stream **stream, const struct object *object, stream_fn fn, void *ctx, struct err *err);
void stream_close(struct stream *stream);

/* Readable when stream_take() should be called before its time. */
int stream_fd(const struct stream *stream);

/*
 * Hands over what has come and is old enough to be in order; takes no longer than some tens of milliseconds.
 * Returns after how many ms it wants to be called again, whatever happens.
 */
int stream_take(struct stream *stream);
/* The last: all that was there when it was called. */
void stream_take_all(struct stream *stream);

/* What an enum event_loss counts, since the beginning. */
uint64_t stream_dropped(const struct stream *stream, uint32_t why);

#endif
