// SPDX-License-Identifier: BSD-2-Clause
/* Finds the times of records that are still in the buffer. Reads nothing out of it. */
#include "stream_pieces.h"
#include "stream_rest.h"

struct division {
	struct stream_pieces *pieces;
	const struct stream_ring *ring;
	unsigned long begin; /* of what is divided */
};

/* `later` is the oldest time in the piece itself, for now. */
static int add(void *ctx, void *record, size_t size)
{
	struct division *division = ctx;
	const struct stream_ring *ring = division->ring;
	unsigned long offset = ((char *)record - ring->records - division->begin) & (ring->size - 1);
	struct stream_piece *piece = &division->pieces->v[offset / STREAM_PIECE];
	uint64_t time;

	if (size < sizeof(time))
		return 0;
	memcpy(&time, record, sizeof(time));
	piece->later = time < piece->later ? time : piece->later;
	return 0;
}

void stream_pieces_divide(struct stream_pieces *pieces, const struct stream_ring *ring, unsigned long end)
{
	unsigned long at = stream_ring_at(ring);
	struct division division = { pieces, ring, at };
	uint64_t later = UINT64_MAX;

	pieces->n = pieces->next = 0;
	do {
		at += STREAM_PIECE;
		*vec_push(pieces) = (struct stream_piece){ at < end ? at : end, UINT64_MAX };
	} while (at < end);
	if (pieces->n > 1 && stream_rest(ring->records, ring->size, division.begin, end, add, &division))
		pieces->n = 1;
	for (size_t i = pieces->n; i--;) {
		uint64_t oldest = pieces->v[i].later;

		pieces->v[i].later = later;
		later = oldest < later ? oldest : later;
	}
	pieces->v[pieces->n - 1].end = end;
}

void stream_pieces_release(struct stream_pieces *pieces)
{
	free(pieces->v);
	*pieces = (struct stream_pieces){};
}
