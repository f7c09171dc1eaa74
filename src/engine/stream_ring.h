/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For stream.c and stacks.c: the memory of a BPF ring buffer, and reading its records. libbpf maps all of the buffer
 * twice in a row, so that no record is in two pieces. All pages of the mapping are in memory and count as the process's
 * own. Here the second part is only as long as a record can be. The layout is that of the kernel (linux/bpf.h and its
 * ring buffer's documentation).
 */
#ifndef SONDE_ENGINE_STREAM_RING_H
#define SONDE_ENGINE_STREAM_RING_H

#include <limits.h>

#include "base/base.h"

/* Bytes of the largest record, with its header. */
#define STREAM_RING_RECORD (64 * 1024)

struct stream_ring {
	unsigned long *read_to; /* a page that we write: up to where we have read */
	char *writers;		/* a page that the kernel writes: up to where records are reserved; then the records */
	char *records;
	size_t size; /* bytes of the buffer */
};

/* map: descriptor of the ring buffer, which may be closed afterwards. Returns 0 or -errno; then nothing is mapped. */
int stream_ring_open(struct stream_ring *ring, int map);
/* Does nothing to one that is all zeros. */
void stream_ring_close(struct stream_ring *ring);

/* Positions: bytes since the beginning. Where we read on, and where the next record will be reserved. */
unsigned long stream_ring_at(const struct stream_ring *ring);
unsigned long stream_ring_end(const struct stream_ring *ring);

/*
 * Passes on at most n records that begin before the position `limit` (ULONG_MAX: all), up to the first one that is not
 * complete. fn's result is not used. Returns how many were passed on.
 */
size_t stream_ring_take(struct stream_ring *ring, unsigned long limit, size_t n,
			int (*fn)(void *ctx, void *record, size_t size), void *ctx);

#endif
