// SPDX-License-Identifier: BSD-2-Clause
/* Reads a hash map, many entries with one call, and finds what is new in each. */
#include <search.h>

#include <bpf/bpf.h>

#include "keys.h"

/* Rows read by one call. */
#define BATCH 64

struct batch {
	uint32_t size;
	char *keys, *values;
};

size_t keys_value_size(const struct hist *hist)
{
	return (DIST_LABEL_WORDS + hist_words(hist)) * sizeof(uint64_t);
}

void keys_init(struct keys *keys, int fd, uint32_t max, bool by_number, const struct hist *hist)
{
	keys->fd = fd;
	keys->max = max;
	keys->key_size = by_number ? sizeof(keys->v[0]->key.number) : sizeof(keys->v[0]->key);
	keys->value_size = keys_value_size(hist);
	keys->hist = hist;
}

static int by_key(const void *a, const void *b)
{
	return memcmp(&((const struct keys_row *)a)->key, &((const struct keys_row *)b)->key, sizeof(union dist_key));
}

static struct keys_row *row_of(struct keys *keys, const union dist_key *key)
{
	size_t bytes = hist_words(keys->hist) * sizeof(uint64_t);
	struct keys_row wanted = { .key = *key }, *row;
	void *node = tfind(&wanted, &keys->tree, by_key);

	if (node)
		return *(struct keys_row **)node;
	row = base_alloc(sizeof(*row));
	row->key = wanted.key;
	row->before = base_alloc(bytes);
	row->between = base_alloc(bytes);
	if (!tsearch(row, &keys->tree, by_key))
		abort();
	*vec_push(keys) = row;
	return row;
}

static void take(const union dist_key *key, const char *label, const uint64_t *cells, void *ctx)
{
	struct keys *keys = ctx;
	struct keys_row *row = row_of(keys, key);

	memcpy(row->label, label, sizeof(row->label));
	hist_difference(keys->hist, row->between, cells, row->before);
	memcpy(row->before, cells, hist_words(keys->hist) * sizeof(*cells));
}

/* An entry as the map has it: a key without padding; the label, padded to whole words; the cells. */
static void hand_on(const struct keys *keys, const void *map_key, const void *value, keys_fn fn, void *ctx)
{
	char label[DIST_LABEL_LEN + 1] = "";
	union dist_key key = {};

	memcpy(&key, map_key, keys->key_size);
	memcpy(label, value, DIST_LABEL_LEN);
	fn(&key, label, (const uint64_t *)value + DIST_LABEL_WORDS, ctx);
}

static void batch_free(struct batch *batch)
{
	free(batch->keys);
	free(batch->values);
}

static void batch_size(struct batch *batch, const struct keys *keys, uint32_t size)
{
	batch_free(batch);
	batch->size = size;
	batch->keys = base_alloc(size * keys->key_size);
	batch->values = base_alloc(size * keys->value_size);
}

/* The kernel returns whole buckets of its table, and -ENOSPC if the next one is larger than our room. */
int keys_read(const struct keys *keys, keys_fn fn, void *ctx)
{
	__cleanup(batch_free) struct batch batch = {};
	uint32_t from = 0, to = 0;
	bool first = true;
	int ret = 0;

	batch_size(&batch, keys, keys->max < BATCH ? keys->max : BATCH);
	while (!ret) {
		uint32_t n = batch.size;

		ret = bpf_map_lookup_batch(keys->fd, first ? NULL : &from, &to, batch.keys, batch.values, &n, NULL);
		if (ret == -ENOSPC && batch.size < keys->max) {
			batch_size(&batch, keys, batch.size * 2);
			ret = 0;
			continue;
		}
		if (ret && ret != -ENOENT)
			return ret;
		for (uint32_t i = 0; i < n; i++)
			hand_on(keys, batch.keys + i * keys->key_size, batch.values + i * keys->value_size, fn, ctx);
		first = false;
		from = to;
	}
	return 0;
}

int keys_take(struct keys *keys)
{
	return keys_read(keys, take, keys);
}

static void keep(void *node)
{
}

void keys_release(struct keys *keys)
{
	tdestroy(keys->tree, keep);
	vec_each(row, keys) {
		free((*row)->before);
		free((*row)->between);
		free(*row);
	}
	free(keys->v);
}
