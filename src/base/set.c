// SPDX-License-Identifier: BSD-2-Clause
/*
 * Open addressing with linear probing. Keys come from foreign files, too: the hash has a random key, so nobody can
 * choose members that collide.
 */
#include <sys/auxv.h>

#include "set.h"

#define SLOTS_LEAST 64

static inline uint64_t rotate(uint64_t word, int bits)
{
	return word << bits | word >> (64 - bits);
}

static inline void sip_round(uint64_t v[4])
{
	v[0] += v[1];
	v[2] += v[3];
	v[1] = rotate(v[1], 13) ^ v[0];
	v[3] = rotate(v[3], 16) ^ v[2];
	v[0] = rotate(v[0], 32);
	v[2] += v[1];
	v[0] += v[3];
	v[1] = rotate(v[1], 17) ^ v[2];
	v[3] = rotate(v[3], 21) ^ v[0];
	v[2] = rotate(v[2], 32);
}

/* SipHash-1-3, of Aumasson and Bernstein. */
uint64_t set_hash(const uint64_t key[2], const void *bytes, size_t len)
{
	uint64_t v[] = { key[0] ^ 0x736f6d6570736575, key[1] ^ 0x646f72616e646f6d, key[0] ^ 0x6c7967656e657261,
			 key[1] ^ 0x7465646279746573 };
	const unsigned char *at = bytes;

	for (size_t left = len;; left -= 8, at += 8) {
		uint64_t word = 0;

		if (left >= 8)
			memcpy(&word, at, 8);
		else if (left)
			memcpy(&word, at, left);
		if (left < 8)
			word |= (uint64_t)len << 56;
		v[3] ^= word;
		sip_round(v);
		v[0] ^= word;
		if (left < 8)
			break;
	}
	v[2] ^= 0xff;
	for (int i = 0; i < 3; i++)
		sip_round(v);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/* The kernel gives each process 16 random bytes. */
static uint32_t hash_bytes(const void *bytes, size_t len)
{
	static uint64_t key[2];
	static bool has_key;

	if (!has_key) {
		memcpy(key, (const void *)getauxval(AT_RANDOM), sizeof(key));
		has_key = true;
	}
	return set_hash(key, bytes, len);
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

uint32_t set_find(const struct set *set, const void *bytes, size_t len)
{
	const uint32_t *slot = set->n ? find_slot(set, bytes, len, hash_bytes(bytes, len)) : NULL;

	return slot && *slot ? *slot - 1 : SET_NONE;
}

void set_release(struct set *set)
{
	free(set->v);
	free(set->slots);
	pool_release(&set->pool);
	*set = (struct set){};
}
