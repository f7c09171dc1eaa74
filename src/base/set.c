// SPDX-License-Identifier: BSD-2-Clause
/* The set of byte strings: copies of them, and a table that finds them. */
#include "hash.h"
#include "set.h"

static uint32_t find(const struct set *set, const void *bytes, size_t len, uint32_t hash)
{
	lookup_each(it, &set->lookup, hash) {
		const struct set_member *member = &set->v[it.number];

		if (member->len == len && (!len || !memcmp(member->bytes, bytes, len)))
			return it.number;
	}
	return SET_NONE;
}

uint32_t set_add(struct set *set, const void *bytes, size_t len)
{
	uint32_t hash = hash_bytes(bytes, len), number = find(set, bytes, len, hash);

	if (number != SET_NONE)
		return number;
	lookup_add(&set->lookup, hash, set->n);
	*vec_push(set) = (struct set_member){ pool_copy(&set->pool, bytes, len), len };
	return set->n - 1;
}

uint32_t set_add_most(struct set *set, const void *bytes, size_t len, size_t most)
{
	return set->n < most ? set_add(set, bytes, len) : set_find(set, bytes, len);
}

uint32_t set_find(const struct set *set, const void *bytes, size_t len)
{
	return set->n ? find(set, bytes, len, hash_bytes(bytes, len)) : SET_NONE;
}

void set_release(struct set *set)
{
	free(set->v);
	lookup_release(&set->lookup);
	pool_release(&set->pool);
	*set = (struct set){};
}
