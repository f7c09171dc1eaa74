// SPDX-License-Identifier: BSD-2-Clause
/* The perfect hash from addresses to slots, looked up as BPF does it. */
#include <criterion/criterion.h>

#include "attach/mechanism.h"

#define TEXT 0xffffffff81000000ULL

/* Like slot_by_ip() of bpf/slot.bpf.h, where array maps reject an index that is too large. */
static uint32_t find(const struct slot_table *table, uint64_t key)
{
	uint64_t product = key * table->hash.multiplier;
	uint32_t i = product >> table->hash.bucket_shift;

	cr_assert_lt(i, table->n_buckets);
	i = ((uint32_t)product + table->buckets[i]) & table->hash.cell_mask;
	cr_assert_lt(i, table->n_cells);
	return table->cells[i].key == (uint32_t)key ? table->cells[i].slot : SLOT_NONE;
}

static struct target *add(struct target_set *set, uint64_t addr, bool ret)
{
	struct target *target = vec_push(set);

	target->kind = TARGET_KERNEL;
	target->addr = addr;
	target->ret = ret;
	target->slot = set->n - 1;
	return target;
}

static void check(const struct target_set *set)
{
	__cleanup(slot_table_release) struct slot_table table = {};

	cr_assert_eq(slot_table_build(&table, set), 0);
	vec_each(target, set)
		cr_assert_eq(find(&table, target->addr + (target->ret ? SLOT_RETURN : 0)), target->slot,
			     "slot %u", target->slot);
}

static uint64_t next(uint64_t *state)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return *state >> 33;
}

/* Entries and returns of functions spread over the kernel's text; every third one is next to the previous one. */
static void fill(struct target_set *set, size_t n, uint64_t seed)
{
	uint64_t addr = TEXT;

	for (size_t i = 0; i < n; i++) {
		addr += i % 3 ? 16 + next(&seed) % 4096 : 1;
		add(set, addr, false);
		if (next(&seed) % 2)
			add(set, addr, true);
	}
}

static void check_many(size_t n)
{
	struct target_set set = {};

	fill(&set, n, n);
	check(&set);
	target_set_release(&set);
}

Test(slot_table, every_key_is_found)
{
	check_many(1);
	check_many(2);
	check_many(3);
	check_many(1000);
	check_many(60000);
}

Test(slot_table, empty)
{
	__cleanup(slot_table_release) struct slot_table table = {};
	struct target_set set = {};

	cr_assert_eq(slot_table_build(&table, &set), 0);
	cr_expect_eq(find(&table, TEXT), SLOT_NONE);
	cr_expect_eq(find(&table, 0), SLOT_NONE);
}

Test(slot_table, strangers_are_turned_away)
{
	__cleanup(slot_table_release) struct slot_table table = {};
	struct target_set set = {};

	fill(&set, 1000, 7);
	cr_assert_eq(slot_table_build(&table, &set), 0);
	/* before and behind all; between two functions, where no key is */
	for (uint64_t addr = TEXT - 5000; addr < TEXT; addr++)
		cr_assert_eq(find(&table, addr), SLOT_NONE);
	for (size_t i = 0; i < set.n; i++)
		cr_assert_eq(find(&table, set.v[i].addr + 7), SLOT_NONE);
	cr_expect_eq(find(&table, 0), SLOT_NONE);
	target_set_release(&set);
}

/* p:f+1 beside r:f, and the function that begins one byte behind another. */
Test(slot_table, an_offset_is_no_return)
{
	struct target_set set = {};

	add(&set, TEXT, true);
	add(&set, TEXT + 1, false);
	add(&set, TEXT + 1, true);
	check(&set);
	target_set_release(&set);
}

/* Functions with hidden addresses and targets other than kernel functions have no key. */
Test(slot_table, only_kernel_addresses)
{
	__cleanup(slot_table_release) struct slot_table table = {};
	struct target_set set = {};

	add(&set, 0, false);
	add(&set, 0, false);
	add(&set, 0x1000, false)->kind = TARGET_USER;
	cr_assert_eq(slot_table_build(&table, &set), 0);
	cr_expect_eq(find(&table, 0), SLOT_NONE);
	cr_expect_eq(find(&table, 0x1000), SLOT_NONE);
	target_set_release(&set);
}

/* Functions at multiples of 16, as compilers align them: few of them must find a multiplier wherever they lie. */
Test(slot_table, few_aligned_functions)
{
	for (size_t n = 2; n <= 64; n++) {
		for (uint64_t seed = 0; seed < 100; seed++) {
			struct target_set set = {};
			uint64_t addr = TEXT, state = n << 32 | seed;

			for (size_t i = 0; i < n; i++)
				add(&set, addr += 16 * (1 + next(&state) % 65536), false);
			check(&set);
			target_set_release(&set);
		}
	}
}
