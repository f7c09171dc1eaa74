// SPDX-License-Identifier: BSD-2-Clause
/* Computes the number of shards of an array, and patches it into programs. */
#include "base/cpus.h"
#include "quirks.h"
#include "shards.h"

#define CACHE_LINE 64

struct shards shards_of(size_t size)
{
	struct shards shards = { .n = 1, .size = (size + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE };

	while (shards.n < (uint32_t)cpus_ids())
		shards.n *= 2;
	while (shards.n > 1 && !quirk_value_size(shards_memory(&shards)))
		shards.n /= 2;
	return shards;
}

bool shards_are_shared(const struct shards *shards)
{
	return shards->n < (uint32_t)cpus_ids();
}

size_t shards_memory(const struct shards *shards)
{
	return shards->n * shards->size;
}

int shards_patch(const struct shards *shards, struct image *image, struct err *err)
{
	int ret = image_patch(image, PATCH_SHARDS, shards->n - 1, err);

	return ret ? ret : image_patch(image, PATCH_SHARD_SIZE, shards->size, err);
}
