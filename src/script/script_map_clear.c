// SPDX-License-Identifier: BSD-2-Clause
/* clear() and zero() of a program's maps. */
#include <bpf/bpf.h>

#include "script_map_part.h"

/* A print() and a clear() within this time belong together. */
#define SAME_RUN_NS 100000000ULL
/* clear() frees the keys of a map when they are this part of it: 1 / 4. */
#define FREED_AT 4
/*
 * Subtracts what a map holds, which nobody adds to any more, and empties it. What arrived after the clear() is then
 * below 0.
 */
static void empty(struct script_map *map)
{
	__cleanup(script_entries_release) struct script_entries entries = {};

	script_map_read_raw(map, &entries);
	vec_each(entry, &entries) {
		script_map_add_words((void *)script_totals_of(&map->base, map->map, entry), (const void *)entry->value,
				     map->map->value->size, true);
		bpf_map_delete_elem(map->fd, entry->key);
	}
}

/* Drops the zeros from what is subtracted. All else needs an entry, where reading finds it. */
static void drop_zeros(struct script_map *map)
{
	__cleanup(script_totals_release) struct script_totals before = map->base;
	const size_t size = map->map->value->size;
	__free char *zeros = base_alloc(script_map_room(map)), *key = base_alloc(lang_key_size(map->map));

	map->base = (struct script_totals){};
	script_totals_of(&map->base, map->map, &(struct script_entry){});
	for (size_t i = 1; i < before.keys.n; i++) { /* the first is of no key */
		const struct set_member *member = &before.keys.v[i];
		const struct script_entry entry = { .key = key };
		const char *value = before.values.data + i * size;

		if (!memcmp(value, zeros, size))
			continue;
		memcpy(key, member->bytes, member->len);
		memcpy(script_totals_of(&map->base, map->map, &entry), value, size);
		bpf_map_update_elem(map->fd, key, zeros, BPF_NOEXIST);
	}
}

/*
 * A map that is cleared for weeks must not fill with keys that are never seen again. A key cannot be deleted while
 * programs may add to it: what arrives between the last look and the deletion would be lost. The kernel waits for all
 * programs that run whenever a map in a map is set, and in no other call: membarrier() does not on one processor.
 */
static int free_keys(struct script_map *map)
{
	LIBBPF_OPTS(bpf_map_create_opts, options, .inner_map_fd = map->fd);
	uint64_t *turn = (void *)(map->memory->cells + map->map->at_turn);
	__close int outer = -1;
	const uint32_t first = 0;
	int old = map->fd, ret;

	if (map->twin < 0 || (map->base.keys.n - 1) * FREED_AT < map->map->max_entries)
		return 0;
	outer = bpf_map_create(BPF_MAP_TYPE_ARRAY_OF_MAPS, NULL, sizeof(first), sizeof(first), 1, &options);
	if (outer < 0)
		return outer;
	__atomic_store_n(turn, !*turn, __ATOMIC_SEQ_CST);
	ret = bpf_map_update_elem(outer, &first, &old, BPF_ANY);
	empty(map);
	map->fd = map->twin;
	map->twin = old;
	drop_zeros(map);
	return ret;
}

/* Forgets what was printed just before, or what there is now. */
static int rebase(struct script_map *map, uint64_t time, bool is_cleared)
{
	__cleanup(script_entries_release) struct script_entries entries = {};
	int ret = 0;

	script_totals_release(&map->base);
	map->is_cleared = is_cleared;
	if (map->shown_at && time - map->shown_at < SAME_RUN_NS) {
		map->base = map->shown;
		map->shown = (struct script_totals){};
	} else {
		ret = script_map_read_raw(map, &entries);
		script_totals_set(&map->base, map->map, &entries);
	}
	map->shown_at = 0;
	return !ret && is_cleared ? free_keys(map) : ret;
}

static void reset_task(struct lang_task *task, bool is_cleared)
{
	task->value = 0;
	if (is_cleared)
		__atomic_store_n(&task->key, 0, __ATOMIC_RELEASE);
}

/* Deletes all keys, or sets their values to zeros. Elements of arrays cannot be deleted. */
static int reset_map(struct script_map *map, bool is_cleared)
{
	__cleanup(script_entries_release) struct script_entries entries = {};
	__free char *zeros = base_alloc(script_map_room(map));
	struct lang_tasks *tasks = script_map_tasks(map);
	int ret = script_map_read_raw(map, &entries);

	for (uint32_t i = 0; tasks && i < LANG_TASKS; i++)
		reset_task(&tasks->v[i], is_cleared);
	vec_each(entry, &entries) {
		if (is_cleared && !script_map_is_array(map))
			bpf_map_delete_elem(map->fd, entry->key);
		else
			bpf_map_update_elem(map->fd, entry->key, zeros, BPF_EXIST);
	}
	return ret;
}

static void reset_shards(const struct script_map *map)
{
	const struct lang_map *of = map->map;
	size_t n = of->storage == LANG_SLOTS ? of->n_slots : 1;

	for (uint32_t i = 0; i < map->memory->layout.n; i++)
		memset(map->memory->shards + i * map->memory->layout.size + of->at_cell, 0, n * of->value->size);
}

/* The kernel deletes entries of these maps when it wants to. What was shown of them cannot be subtracted later. */
static bool evicts(const struct lang_map *map)
{
	return map->storage == LANG_LRU_HASH || map->storage == LANG_LRU_PERCPU_HASH;
}

/*
 * A value to which programs add meanwhile: takes away what was printed just before, or all there is. The byte behind it,
 * which says that it was set, stays: a program may be about to add.
 */
static void reset_cell(struct script_map *map, uint64_t time, bool is_cleared)
{
	uint64_t *value = (void *)(map->memory->cells + map->map->at_cell), shown;
	bool was;

	if (map->shown_at && time - map->shown_at < SAME_RUN_NS) {
		memcpy(&shown, script_totals_of(&map->shown, map->map, &(struct script_entry){}), sizeof(shown));
		__atomic_fetch_sub(value, shown, __ATOMIC_RELAXED);
		was = shown;
	} else {
		was = __atomic_exchange_n(value, 0, __ATOMIC_RELAXED);
	}
	map->shown_at = 0;
	/* zero() of what is not there shows nothing */
	map->is_cleared = is_cleared || (map->is_cleared && !was);
}

static int reset(struct script_map *map, uint64_t time, bool is_cleared)
{
	const struct lang_map *of = map->map;

	if (of->value->kind == TYPE_NONE)
		return 0;
	if (script_map_subtracts(map) && !evicts(of))
		return rebase(map, time, is_cleared);
	if (of->storage == LANG_CELL && script_map_is_sum(map))
		reset_cell(map, time, is_cleared);
	else if (of->storage == LANG_CELL)
		memset(map->memory->cells + of->at_cell, 0, of->value->size + is_cleared);
	else if (script_map_in_kernel(map))
		return map->fd < 0 ? 0 : reset_map(map, is_cleared);
	else
		reset_shards(map);
	return 0;
}

int script_map_clear(struct script_map *map, uint64_t time)
{
	return reset(map, time, true);
}

int script_map_zero(struct script_map *map, uint64_t time)
{
	return reset(map, time, false);
}
