// SPDX-License-Identifier: BSD-2-Clause
/* clear() and zero() of a program's maps. */
#include <bpf/bpf.h>

#include "script_map_part.h"

/* A print() and a clear() within this time belong together. */
#define SAME_RUN_NS 100000000ULL

/* How many values the kernel has of a key. */
static int copies(const struct script_map *map)
{
	return script_map_is_per_cpu(map) ? cpus_ids() : 1;
}

/* Reads the value of one key. */
static int read_one(const struct script_map *map, const void *key, char *each, char *value)
{
	const struct type *type = map->map->value;
	int ret = bpf_map_lookup_elem(map->fd, key, each);

	memset(value, 0, type->size);
	for (int i = 0; !ret && i < copies(map); i++)
		script_map_merge(type, value, each + i * ((type->size + 7) / 8 * 8));
	return ret;
}

/*
 * Deletes a key to which nothing was added since the last clear(). What a program adds just then is kept: the kernel
 * returns the value that it deletes, and base is then below 0. Kernels before 5.14 do not: what comes between the two
 * calls is lost there.
 */
static void free_key(const struct script_map *map, const void *key, char *base)
{
	size_t size = map->map->value->size;
	__free char *each = base_alloc(script_map_room(map)), *zeros = base_alloc(script_map_room(map));
	__free char *value = base_alloc(size);

	if (read_one(map, key, each, value)) { /* the program has deleted it */
		memset(base, 0, size);
		return;
	}
	if (memcmp(base, value, size))
		return;
	if (bpf_map_lookup_and_delete_elem(map->fd, key, each))
		bpf_map_delete_elem(map->fd, key);
	for (int i = 0; i < copies(map); i++)
		script_map_add_words((void *)base, (const void *)(each + i * ((size + 7) / 8 * 8)), size, true);
	if (memcmp(base, zeros, size))
		bpf_map_update_elem(map->fd, key, zeros, BPF_NOEXIST);
}

/* A map that is cleared for weeks must not fill with keys that are never seen again. */
static void free_keys(struct script_map *map, struct script_totals *before)
{
	struct script_totals *base = &map->base;
	size_t size = map->map->value->size;
	__free char *key = base_alloc(lang_key_size(map->map));

	for (size_t i = 1; i < base->keys.n; i++) { /* the first is of no key */
		const struct set_member *member = &base->keys.v[i];
		const struct script_entry entry = { .key = member->bytes };
		char *value = base->values.data + i * size;

		if (memcmp(script_totals_of(before, map->map, &entry), value, size))
			continue;
		memcpy(key, member->bytes, member->len);
		free_key(map, key, value);
	}
}

/* Forgets what was printed just before, or what there is now. */
static int rebase(struct script_map *map, uint64_t time, bool is_cleared)
{
	__cleanup(script_entries_release) struct script_entries entries = {};
	__cleanup(script_totals_release) struct script_totals before = map->base;
	int ret = 0;

	map->base = (struct script_totals){};
	map->is_cleared = is_cleared;
	if (map->shown_at && time - map->shown_at < SAME_RUN_NS) {
		map->base = map->shown;
		map->shown = (struct script_totals){};
	} else {
		ret = script_map_read_raw(map, &entries);
		script_totals_set(&map->base, map->map, &entries);
	}
	map->shown_at = 0;
	if (is_cleared && map->fd >= 0 && !script_map_is_array(map))
		free_keys(map, &before);
	return ret;
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
