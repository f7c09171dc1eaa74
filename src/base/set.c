// SPDX-License-Identifier: BSD-2-Clause
/* Open addressing with linear probing; the hash is FNV-1a, mixed, because keys with pointers differ in few bits. */
#include "set.h"

#define SLOTS_LEAST 64

static uint32_t hash_bytes(const unsigned char *bytes, size_t len)
{
	uint64_t hash = 0xcbf29ce484222325;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ bytes[i]) * 0x100000001b3;
	return hash ^ hash >> 32;
}

/* Returns the slot of the bytes, or the free one where they belong. */
static uint32_t *find_slot(const struct set *set, const void *bytes, size_t len, uint32_t hash)
{
	for (size_t i = hash & (set->n_slots - 1);; i = (i + 1) & (set->n_slots - 1)) {
		const struct set_member *member;

		if (!set->slots[i])
			return &set->slots[i];
		member = &set->v[set->slots[i] - 1];
		if (member->hash == hash && member->len == len && (!len || !memcmp(member->bytes, bytes, len)))
			return &set->slots[i];
	}
}

/* Keeps a quarter of the slots free. */
static void grow(struct set *set)
{
	if ((set->n + 1) * 4 <= set->n_slots * 3)
		return;
	free(set->slots);
	set->n_slots = set->n_slots ? set->n_slots * 2 : SLOTS_LEAST;
	set->slots = base_alloc(set->n_slots * sizeof(*set->slots));
	for (size_t i = 0; i < set->n; i++)
		*find_slot(set, set->v[i].bytes, set->v[i].len, set->v[i].hash) = i + 1;
}

uint32_t set_add(struct set *set, const void *bytes, size_t len)
{
	uint32_t hash = hash_bytes(bytes, len), *slot;
	struct set_member *member;

	grow(set);
	slot = find_slot(set, bytes, len, hash);
	if (*slot)
		return *slot - 1;
	member = vec_push(set);
	member->bytes = pool_copy(&set->pool, bytes, len);
	member->len = len;
	member->hash = hash;
	*slot = set->n;
	return set->n - 1;
}

void set_release(struct set *set)
{
	free(set->v);
	free(set->slots);
	pool_release(&set->pool);
	*set = (struct set){};
}
