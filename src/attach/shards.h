/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shards: an array in which programs count has a block for each processor, so that no two processors write to the same
 * cache line. Both sides map the array. Programs find their shard with slot_shard() of bpf/slot.bpf.h.
 */
#ifndef SONDE_ATTACH_SHARDS_H
#define SONDE_ATTACH_SHARDS_H

#include "image.h"

struct shards {
	uint32_t n;  /* a power of two */
	size_t size; /* bytes of a shard: whole cache lines */
};

/*
 * Returns as many shards as there are processors, or fewer if the kernel has no arrays that large: processors then
 * share shards. size: the least bytes of a shard.
 */
struct shards shards_of(size_t size);
/* True if several processors write to one shard. */
bool shards_are_shared(const struct shards *shards);
/* Returns the bytes of all shards. */
size_t shards_memory(const struct shards *shards);
/* Fills the patch sites of slot_shard() in an image. Returns 0, or -ENOENT with err. */
int shards_patch(const struct shards *shards, struct image *image, struct err *err);

#endif
