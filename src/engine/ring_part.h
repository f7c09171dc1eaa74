/* SPDX-License-Identifier: BSD-2-Clause */
/* Within ring*.c: the set, its sizes, and where its reader is. */
#ifndef SONDE_ENGINE_RING_PART_H
#define SONDE_ENGINE_RING_PART_H

#include "bpf/ring.h"
#include "ring.h"

struct ring_buffer;

/* A place in a ring, in words since ever, and the number of the record that begins there. All their bits. */
struct spot {
	uint64_t place, number;
};

/* A ring, and where its reader is. */
struct ring_one {
	uint32_t cpu, lane;
	struct ring_state *state;
	const uint8_t *blocks;
	uint64_t words;	   /* of the ring, a power of two */
	struct spot at;	   /* the next record to read */
	uint64_t late;	   /* state->late, as far as it is known that it has damaged nothing that is read */
	uint64_t unpassed; /* lost, and not reported with a run yet */
	bool ends;	   /* nothing is read from `end` on */
	struct spot end;
};

/* All sizes are powers of two, but those of a processor and of a block's bytes. */
struct ring_sizes {
	enum ring_how how;
	uint32_t cpus, lanes;		  /* cpus: for which there is memory */
	uint32_t block_words, block_bits; /* bits: the logarithm */
	uint32_t ring_blocks;		  /* of a processor's first ring; the others have one */
	uint32_t cpu_blocks;
	uint32_t table;	      /* bytes in front of the table of pages */
	uint32_t block_bytes; /* with all that belongs to it */
	uint32_t states;
};

struct ring_set {
	struct object *object;
	enum ring_mode mode;
	struct ring_sizes sizes;
	struct ring_one *rings;
	size_t n;
	uint8_t *blocks; /* mapped */
	size_t mapped;
	uint64_t *copy; /* of the run that is passed on */
	struct ring_buffer *bell;
	uint64_t waiting; /* as of ring_waiting() */
};

/* The most bytes of one value for all rings. Tests set it to 0. */
extern size_t ring_direct_most;

#endif
