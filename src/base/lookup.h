/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A hash table of numbers, which index an array of the owner. It knows no keys: the owner hashes them (hash.h), and
 * compares those that have the same hash. For byte strings that are copied there is set.h.
 *
 *	struct lookup lookup = {};
 *
 *	lookup_each(it, &lookup, hash)
 *		if (array[it.number].key == key)
 *			return it.number;
 *	lookup_add(&lookup, hash, n);
 *
 * Initialise with {}. Out of memory ends the process, as in base.h.
 */
#ifndef SONDE_BASE_LOOKUP_H
#define SONDE_BASE_LOOKUP_H

#include "base.h"

struct lookup {
	struct lookup_slot {
		uint32_t number; /* + 1; 0: the slot is free */
		uint32_t hash;
	} * slots;
	size_t n, n_slots; /* n_slots: a power of two */
};

struct lookup_at {
	size_t slot; /* the next */
	uint32_t number;
};

/* Visits the numbers that were added with this hash, in the order in which they were added: as it.number. */
#define lookup_each(it, lookup, hash) for (struct lookup_at it = { .slot = (hash) }; lookup_next(lookup, hash, &(it));)
static inline bool lookup_next(const struct lookup *lookup, uint32_t hash, struct lookup_at *at)
{
	const struct lookup_slot *slot;

	if (!lookup->n)
		return false;
	do {
		slot = &lookup->slots[at->slot++ & (lookup->n_slots - 1)];
	} while (slot->number && slot->hash != hash);
	at->number = slot->number - 1;
	return slot->number;
}

/* Adds a number below UINT32_MAX, even one that is there already. */
void lookup_add(struct lookup *lookup, uint32_t hash, uint32_t number);
/* Makes room for n numbers in all. */
void lookup_reserve(struct lookup *lookup, size_t n);
/* Removes all numbers, and keeps the memory. */
void lookup_reset(struct lookup *lookup);
void lookup_release(struct lookup *lookup);

#endif
