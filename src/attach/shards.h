/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shards: an array that programs count in has a block for each processor, so that no two processors write to one cache line.
 * Both sides map the array. Programs find their shard with slot_shard() of bpf/slot.bpf.h.
 */
#ifndef SONDE_SHARDS_H
#define SONDE_SHARDS_H

#include "image.h"

struct shards {
	uint32_t n;  /* a power of two */
	size_t size; /* bytes of one: whole cache lines */
};

/*
 * As many as there are processors, or fewer where the kernel has no arrays that large: then processors share shards.
 * size: the bytes that one needs at least.
 */
struct shards shards_of(size_t size);
/* Whether several processors write to one. */
bool shards_are_shared(const struct shards *shards);
/* Bytes of all. */
size_t shards_memory(const struct shards *shards);
/* Fills the sites of slot_shard() in an image. */
int shards_patch(const struct shards *shards, struct image *image, struct err *err);

#endif
