// SPDX-License-Identifier: BSD-2-Clause
/* Builds the perfect hash from kernel address to slot that bpf/slot.h describes. */
#include "mechanism.h"

struct key {
	uint64_t key;
	uint32_t slot;
	uint32_t bucket, low; /* the bucket under the multiplier that is tried */
};

static uint32_t power_of_two(size_t at_least)
{
	uint32_t n = 1;

	while (n < at_least)
		n *= 2;
	return n;
}

static int by_bucket(const void *pa, const void *pb)
{
	const struct key *a = pa, *b = pb;

	return a->bucket < b->bucket ? -1 : a->bucket > b->bucket;
}

static bool fits(const struct slot_table *table, const struct key *keys, size_t n, uint32_t displacement)
{
	for (size_t i = 0; i < n; i++) {
		const struct slot_cell *cell;

		cell = &table->cells[(keys[i].low + displacement) & table->hash.cell_mask];
		if (cell->slot != SLOT_NONE)
			return false;
		/* two keys of one bucket keep their distance whatever the displacement */
		for (size_t j = 0; j < i; j++)
			if (!((keys[i].low ^ keys[j].low) & table->hash.cell_mask))
				return false;
	}
	return true;
}

static bool place_bucket(struct slot_table *table, const struct key *keys, size_t n)
{
	for (uint32_t d = 0; d < table->n_cells; d++) {
		if (!fits(table, keys, n, d))
			continue;
		table->buckets[keys->bucket] = d;
		for (size_t i = 0; i < n; i++) {
			struct slot_cell *cell;

			cell = &table->cells[(keys[i].low + d) & table->hash.cell_mask];
			cell->key = keys[i].key;
			cell->slot = keys[i].slot;
		}
		return true;
	}
	return false;
}

/* Placing large buckets first would pack tighter; at half load any order succeeds. */
static bool place_all(struct slot_table *table, struct key *keys, size_t n)
{
	size_t end;

	for (uint32_t i = 0; i < table->n_cells; i++)
		table->cells[i].slot = SLOT_NONE;
	for (size_t i = 0; i < n; i++) {
		uint64_t product = keys[i].key * table->hash.multiplier;

		keys[i].bucket = product >> table->hash.bucket_shift;
		keys[i].low = product;
	}
	qsort(keys, n, sizeof(*keys), by_bucket);
	for (size_t i = 0; i < n; i = end) {
		for (end = i + 1; end < n && keys[end].bucket == keys[i].bucket; end++)
			;
		if (!place_bucket(table, keys + i, end - i))
			return false;
	}
	return true;
}

static struct key *collect_keys(const struct target_set *set, size_t *n)
{
	struct key *keys = base_alloc(set->n * sizeof(*keys));

	*n = 0;
	vec_each(target, set) {
		uint64_t at = 0;

		if (target->kind == TARGET_KERNEL && target->addr)
			at = target->addr + (target->ret ? SLOT_RETURN : 0);
		else if (target->syscall)
			at = target->syscall - 1 + (target_is_sys_exit(target) ? SLOT_RETURN : 0);
		else
			continue;
		keys[(*n)++] = (struct key){ .key = at + target->key, .slot = target->slot };
	}
	return keys;
}

int slot_table_build(struct slot_table *table, const struct target_set *set)
{
	size_t n;
	__free struct key *keys = collect_keys(set, &n);
	/*
	 * Twice as many buckets as keys, and at least two: a shift by 64 is undefined. Functions begin at multiples of
	 * 16, so the low bits of their products are alike whatever the multiplier, and two of them in one bucket often
	 * have the same cell: with eight buckets for eight functions a third of all layouts had no multiplier.
	 */
	uint32_t buckets = power_of_two(n < 2 ? 2 : n) * 2;

	table->n_buckets = buckets;
	table->n_cells = buckets;
	table->buckets = base_alloc(table->n_buckets * sizeof(*table->buckets));
	table->cells = base_alloc(table->n_cells * sizeof(*table->cells));
	table->hash.bucket_shift = 64 - __builtin_ctz(buckets);
	table->hash.cell_mask = table->n_cells - 1;
	table->hash.n_slots = set->n_slots;
	/* odd multipliers with well mixed bits: multiples of the golden ratio's fraction */
	for (uint64_t i = 1; i < 1000; i += 2) {
		table->hash.multiplier = 0x9e3779b97f4a7c15ULL * i;
		if (place_all(table, keys, n))
			return 0;
	}
	slot_table_release(table);
	return -EINVAL;
}

void slot_table_release(struct slot_table *table)
{
	free(table->buckets);
	free(table->cells);
	memset(table, 0, sizeof(*table));
}
