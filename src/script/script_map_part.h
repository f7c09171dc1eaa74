/* SPDX-License-Identifier: BSD-2-Clause */
/* Within script/: what script_map.c and script_map_clear.c share. */
#ifndef SONDE_SCRIPT_SCRIPT_MAP_PART_H
#define SONDE_SCRIPT_SCRIPT_MAP_PART_H

#include "base/cpus.h"
#include "script_map.h"

static inline bool script_map_is_per_cpu(const struct script_map *map)
{
	return map->map->storage == LANG_PERCPU_HASH || map->map->storage == LANG_LRU_PERCPU_HASH ||
	       map->map->storage == LANG_PERCPU_ARRAY;
}

static inline bool script_map_is_array(const struct script_map *map)
{
	return map->map->storage == LANG_ARRAY || map->map->storage == LANG_PERCPU_ARRAY;
}

/* Whether the kernel has a map for it; others are in shared memory. */
static inline bool script_map_in_kernel(const struct script_map *map)
{
	return map->map->storage >= LANG_HASH;
}

/* Whether the program only adds to its plain values. */
static inline bool script_map_is_sum(const struct script_map *map)
{
	return map->map->value->kind == TYPE_INTEGER && map->map->value->size == sizeof(uint64_t) && !map->map->is_set;
}

/* Whether what clear() forgets stays in the map, and is subtracted when it is read: the program does not look. */
static inline bool script_map_subtracts(const struct script_map *map)
{
	const struct lang_map *of = map->map;

	if (script_map_is_additive(of->value))
		return !of->is_seen;
	return script_map_is_sum(map) && of->storage == LANG_HASH && !of->has_tasks && !of->is_valued;
}

/* The bytes that the kernel gives for a value. */
static inline size_t script_map_room(const struct script_map *map)
{
	size_t size = map->map->value->size;

	return script_map_is_per_cpu(map) ? (size + 7) / 8 * 8 * cpus_ids() : size;
}

/* NULL: the map has none. */
static inline struct lang_tasks *script_map_tasks(const struct script_map *map)
{
	return map->map->has_tasks ? (void *)(map->memory->cells + map->map->at_cell) : NULL;
}

/* Reads all entries, with what was cleared. Returns 0 or -errno. */
int script_map_read_raw(const struct script_map *map, struct script_entries *entries);

void script_totals_release(struct script_totals *totals);
/* Returns the value of an entry's key, zeros if the key is new. */
char *script_totals_of(struct script_totals *totals, const struct lang_map *map, const struct script_entry *entry);
/* Keeps what there is, also if that is nothing: then there is one value of no key. */
void script_totals_set(struct script_totals *totals, const struct lang_map *map, const struct script_entries *entries);

#endif
