/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For stream.c: walks over the records of a BPF ring buffer of which one is not complete. stream_ring.c reads nothing
 * behind such a record. The layout is that of the kernel (linux/bpf.h and its ring buffer's documentation): a header of 64
 * bits, whose first 32 are the size and two flags, then the record, filled up to 64 bits.
 */
#ifndef SONDE_ENGINE_STREAM_REST_H
#define SONDE_ENGINE_STREAM_REST_H

#include "base/base.h"

/* As stream_ring_take() wants it; the result is not used. */
typedef int (*stream_rest_fn)(void *ctx, void *record, size_t size);

/*
 * Passes on the complete records from position `at` to `end`. records: the mapped buffer, of size bytes, and
 * behind it its beginning again, as stream_ring.c maps it, so that no record is in two pieces. Returns how many are not
 * complete.
 */
uint64_t stream_rest(char *records, size_t size, unsigned long at, unsigned long end, stream_rest_fn fn, void *ctx);

#endif
