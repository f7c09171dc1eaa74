// SPDX-License-Identifier: BSD-2-Clause
/* The hash table of numbers: open addressing with linear probing. */
#include "lookup.h"

#define SLOTS_LEAST 64

static void insert(struct lookup *lookup, struct lookup_slot slot)
{
	size_t at = slot.hash;

	while (lookup->slots[at & (lookup->n_slots - 1)].number)
		at++;
	lookup->slots[at & (lookup->n_slots - 1)] = slot;
}

/* Moves all numbers into n slots. It begins after a free slot: equal hashes keep their order so. */
static void resize(struct lookup *lookup, size_t n)
{
	struct lookup old = *lookup;
	size_t first = 0;

	lookup->slots = base_alloc(n * sizeof(*lookup->slots));
	lookup->n_slots = n;
	while (old.n && old.slots[first].number)
		first++;
	for (size_t i = 0; i < old.n_slots; i++) {
		const struct lookup_slot *slot = &old.slots[(first + i) & (old.n_slots - 1)];

		if (slot->number)
			insert(lookup, *slot);
	}
	free(old.slots);
}

/* Keeps a quarter of the slots free. */
void lookup_reserve(struct lookup *lookup, size_t n)
{
	size_t n_slots = lookup->n_slots ? lookup->n_slots : SLOTS_LEAST;

	while (n * 4 > n_slots * 3)
		n_slots *= 2;
	if (n_slots != lookup->n_slots)
		resize(lookup, n_slots);
}

void lookup_add(struct lookup *lookup, uint32_t hash, uint32_t number)
{
	lookup_reserve(lookup, lookup->n + 1);
	insert(lookup, (struct lookup_slot){ number + 1, hash });
	lookup->n++;
}

void lookup_reset(struct lookup *lookup)
{
	if (lookup->n)
		memset(lookup->slots, 0, lookup->n_slots * sizeof(*lookup->slots));
	lookup->n = 0;
}

void lookup_release(struct lookup *lookup)
{
	free(lookup->slots);
	*lookup = (struct lookup){};
}
