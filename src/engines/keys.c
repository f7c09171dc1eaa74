// SPDX-License-Identifier: BSD-2-Clause
/* Turns the entries of a hash map into rows, and finds what is new in each. */
#include <search.h>

#include "keys.h"

size_t keys_value_size(const struct hist *hist)
{
	return (DIST_LABEL_WORDS + hist_words(hist)) * sizeof(uint64_t);
}

void keys_init(struct keys *keys, int fd, uint32_t max, bool by_number, const struct hist *hist)
{
	keys->map = (struct batch_map){
		.fd = fd,
		.max = max,
		.key_size = by_number ? sizeof(keys->v[0]->key.number) : sizeof(keys->v[0]->key),
		.value_size = keys_value_size(hist),
	};
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

struct reading {
	const struct keys *keys;
	keys_fn fn;
	void *ctx;
};

/* An entry as the map has it: a key without padding; the label, padded to whole words; the cells. */
static void hand_on(const void *map_key, const void *value, void *ctx)
{
	const struct reading *reading = ctx;
	char label[DIST_LABEL_LEN + 1] = "";
	union dist_key key = {};

	memcpy(&key, map_key, reading->keys->map.key_size);
	memcpy(label, value, DIST_LABEL_LEN);
	reading->fn(&key, label, (const uint64_t *)value + DIST_LABEL_WORDS, reading->ctx);
}

int keys_read(const struct keys *keys, keys_fn fn, void *ctx)
{
	struct reading reading = { keys, fn, ctx };

	return batch_read(&keys->map, hand_on, &reading);
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
