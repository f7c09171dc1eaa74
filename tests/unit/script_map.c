// SPDX-License-Identifier: BSD-2-Clause
/* print() and clear() of a plain value to which a program adds meanwhile: all that is printed adds up. */
#include <pthread.h>

#include <criterion/criterion.h>

#include "script/script_map.h"

#define ADDED 3000000

static struct {
	uint64_t value;
	char is_set;
} cell;

/* As a program does: it sets the byte behind the value, and adds. */
static void *add(void *ctx)
{
	for (int i = 0; i < ADDED; i++) {
		cell.is_set = 1;
		__atomic_fetch_add(&cell.value, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

static uint64_t print(struct script_map *map, uint64_t time)
{
	__cleanup(script_entries_release) struct script_entries entries = {};
	uint64_t value = 0;

	cr_assert_eq(script_map_read_shown(map, time, &entries), 0);
	cr_assert_leq(entries.n, 1);
	if (entries.n)
		memcpy(&value, entries.v[0].value, sizeof(value));
	return value;
}

/* Each second time zero() in place of clear(). */
static uint64_t print_and_clear(struct script_map *map, uint64_t turn)
{
	uint64_t time = (turn + 1) * 1000000000ULL, shown = print(map, time);

	if (turn % 2)
		script_map_clear(map, time + 1000);
	else
		script_map_zero(map, time + 1000);
	return shown;
}

Test(script_map, plain_values_add_up)
{
	const struct lang_map of = { .name = "@n", .storage = LANG_CELL, .value = type_integer(8, false) };
	const struct script_memory memory = { .cells = (char *)&cell };
	struct script_map map;
	uint64_t sum = 0, turn = 0;
	pthread_t thread;
	struct err err;

	cr_assert_eq(script_map_init(&map, &of, &memory, NULL, &err), 0);
	map.keeps_shown = true;
	cr_assert_eq(pthread_create(&thread, NULL, add, NULL), 0);
	do
		sum += print_and_clear(&map, turn++);
	while (sum < ADDED / 2);
	pthread_join(thread, NULL);
	sum += print(&map, UINT64_MAX);
	cr_assert_eq(sum, ADDED, "%llu in %llu turns", (unsigned long long)sum, (unsigned long long)turn);
	script_map_release(&map);
}
