// SPDX-License-Identifier: BSD-2-Clause
/* Reads a hash map by the kernel's batches. Knows nothing of what the entries mean. */
#include <bpf/bpf.h>

#include "batch.h"

/* Entries read by one call. */
#define BATCH 64

struct batch {
	uint32_t size;
	char *keys, *values;
};

static void batch_free(struct batch *batch)
{
	free(batch->keys);
	free(batch->values);
}

static void batch_size(struct batch *batch, const struct batch_map *map, uint32_t size)
{
	batch_free(batch);
	batch->size = size;
	batch->keys = base_alloc(size * map->key_size);
	batch->values = base_alloc(size * map->value_size);
}

/* The kernel returns whole buckets of its table, and -ENOSPC if the next one is larger than our room. */
int batch_read(const struct batch_map *map, batch_fn fn, void *ctx)
{
	__cleanup(batch_free) struct batch batch = {};
	uint32_t from = 0, to = 0;
	bool first = true;
	int ret = 0;

	batch_size(&batch, map, map->max < BATCH ? map->max : BATCH);
	while (!ret) {
		uint32_t n = batch.size;

		ret = bpf_map_lookup_batch(map->fd, first ? NULL : &from, &to, batch.keys, batch.values, &n, NULL);
		if (ret == -ENOSPC && batch.size < map->max) {
			batch_size(&batch, map, batch.size * 2);
			ret = 0;
			continue;
		}
		if (ret && ret != -ENOENT)
			return ret;
		for (uint32_t i = 0; i < n; i++)
			fn(batch.keys + i * map->key_size, batch.values + i * map->value_size, ctx);
		first = false;
		from = to;
	}
	return 0;
}
