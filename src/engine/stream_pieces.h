/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For stream.c: divides what is in the buffer, so that each piece can be passed on before the next one is read. Without
 * that, a reader that comes late would copy the whole buffer before it passes on the first record.
 */
#ifndef SONDE_ENGINE_STREAM_PIECES_H
#define SONDE_ENGINE_STREAM_PIECES_H

#include "stream_ring.h"

/* Bytes of a piece, and at most one record more. */
#define STREAM_PIECE (256UL * 1024)

struct stream_piece {
	unsigned long end; /* a position; the last piece ends where the division does */
	uint64_t later;	   /* the oldest time behind it, in ns since boot; UINT64_MAX: nothing is behind it */
};

/* Initialise with {}. */
struct stream_pieces {
	vec(struct stream_piece);
	size_t next; /* for the caller, set to 0 */
};

/*
 * Divides the records from where we read on up to the position `end`, in place of what was divided before. There is one
 * piece at least. If a record is not complete, there is only one: nobody knows its time.
 */
void stream_pieces_divide(struct stream_pieces *pieces, const struct stream_ring *ring, unsigned long end);
void stream_pieces_release(struct stream_pieces *pieces);

#endif
