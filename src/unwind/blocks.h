/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For files in unwind only: the blocks of bpf/unwind.h, memory that BPF programs read. User space maps a block while
 * it writes to it. Knows neither rows nor mappings.
 */
#ifndef SONDE_UNWIND_BLOCKS_H
#define SONDE_UNWIND_BLOCKS_H

#include <pthread.h>

#include "base/base.h"
#include "bpf/unwind.h"

/* Insertions of blocks that may run at the same time. */
#define BLOCKS_INSERTS 64

/* Do not move or copy it: threads refer to it. */
struct blocks {
	int outer;	/* the array of maps "unwind_blocks" */
	uint32_t n;	/* blocks that exist */
	uint32_t shown; /* blocks below this number are known to be in the outer array */
	struct blocks_insert {
		pthread_t thread;
		int outer, inner;
		uint32_t number;
	} inserts[BLOCKS_INSERTS];
	size_t n_inserts;
	/* Blocks that were given back, mapped: they are used first. */
	struct blocks_list {
		struct blocks_one {
			uint32_t number;
			char *memory;
		} * v;
		size_t n, cap;
	} spare;
};

/* Memory of one kind of content. Pieces come from the last block only; the blocks before it are full. */
struct blocks_part {
	bool keep; /* full blocks stay mapped */
	struct blocks_at {
		struct blocks_one block; /* memory NULL: there is none yet */
		uint32_t used;		 /* bytes of the block */
		uint64_t taken;		 /* bytes of all blocks, with what was left unused at their ends */
	} at;
	/* Between blocks_begin() and blocks_end(): where the part was, and the blocks that it got since. */
	bool begun;
	struct blocks_at before;
	struct blocks_list since;
};

/* A piece of a block, for the caller to write to. */
struct blocks_piece {
	void *memory;
	uint32_t block;
	uint32_t at; /* its first byte in the block */
};

/* Creates the outer array. Returns 0 or -errno. Release also after an error. */
int blocks_init(struct blocks *blocks);
/* Unmaps the blocks that were given back, and no others. */
void blocks_release(struct blocks *blocks);

/*
 * Waits until BPF programs see each block. Call it before a program can meet the number of a new one. Returns 0 or
 * -errno.
 */
int blocks_show(struct blocks *blocks);

/*
 * Takes `size` bytes of a part, UNWIND_BLOCK_SIZE at most. The memory is zeroed, and mapped until the next call for
 * this part; with `keep` for ever. Initialise a part with {} or { .keep = true }. Errors as of blocks_add().
 */
int blocks_take(struct blocks *blocks, struct blocks_part *part, size_t size, struct blocks_piece *piece);
/* Begins something of many pieces, of which programs see nothing before blocks_end(): until then all can be undone. */
void blocks_begin(struct blocks_part *part);
/* keep false: gives back what was taken since blocks_begin(). */
void blocks_end(struct blocks *blocks, struct blocks_part *part, bool keep);
/* Unmaps the block that is being filled. Programs still see it. */
void blocks_part_release(struct blocks_part *part);

#endif
