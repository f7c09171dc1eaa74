// SPDX-License-Identifier: BSD-2-Clause
/* Creates and reads a program's maps: as the kernel has them and as the user sees them. */
#include <ctype.h>
#include <sys/sysinfo.h>

#include <bpf/bpf.h>

#include "attach/keep.h"
#include "attach/quirks.h"
#include "base/cpus.h"
#include "engine/batch.h"
#include "script_map_part.h"

/* What the kernel's hash needs besides a key and a value. */
#define ENTRY_OVERHEAD 48

/* --- begin and end --- */

static const enum bpf_map_type types[] = {
	[LANG_HASH] = BPF_MAP_TYPE_HASH,
	[LANG_PERCPU_HASH] = BPF_MAP_TYPE_PERCPU_HASH,
	[LANG_LRU_HASH] = BPF_MAP_TYPE_LRU_HASH,
	[LANG_LRU_PERCPU_HASH] = BPF_MAP_TYPE_LRU_PERCPU_HASH,
	[LANG_ARRAY] = BPF_MAP_TYPE_ARRAY,
	[LANG_PERCPU_ARRAY] = BPF_MAP_TYPE_PERCPU_ARRAY,
};

/* The kernel takes 15 letters, digits and '_'. */
static void add_name(char name[BPF_OBJ_NAME_LEN], const char *from)
{
	snprintf(name, BPF_OBJ_NAME_LEN, "AT_%s", from + 1);
	for (char *p = name; *p; p++)
		if (!isalnum((unsigned char)*p))
			*p = '_';
}

static struct lang_keys *keys_of(const struct script_map *map)
{
	return (void *)(map->memory->cells + map->map->at_keys);
}

static uint64_t half_of_memory(void)
{
	struct sysinfo info;

	return sysinfo(&info) ? UINT64_MAX : (uint64_t)info.totalram * info.mem_unit / 2;
}

int script_map_check_memory(const struct lang_program *program, struct err *err)
{
	uint64_t limit = half_of_memory(), sum = 0;

	vec_each(of, &program->maps) {
		const struct script_map map = { .map = *of };
		uint64_t before = sum;

		if (!script_map_in_kernel(&map) || (*of)->value->kind == TYPE_NONE)
			continue;
		sum += (lang_key_size(*of) + script_map_room(&map) + ENTRY_OVERHEAD) * (*of)->max_entries *
		       (1 + (*of)->has_twin);
		if (sum >= limit)
			return err_set(err, -ENOMEM,
				       "the map %s with %u entries would take %llu MB%s, more than half of the memory",
				       (*of)->name, (*of)->max_entries, (unsigned long long)(sum >> 20),
				       before ? " with the maps before it" : "");
	}
	return 0;
}

/* A map that is kept over a restart is never cleared, and has no twin. */
static int make_twin(struct script_map *map, const char *name, size_t key_size, struct keep *keep)
{
	const struct lang_map *of = map->map;

	if (!of->has_twin || keep)
		return 0;
	map->twin = bpf_map_create(types[of->storage], name, key_size, of->value->size, of->max_entries, NULL);
	return map->twin < 0 ? map->twin : 0;
}

int script_map_init(struct script_map *map, const struct lang_map *of, const struct script_memory *memory,
		    struct keep *keep, struct err *err)
{
	char name[BPF_OBJ_NAME_LEN];
	size_t key_size;
	int ret;

	*map = (struct script_map){ .map = of, .memory = memory, .fd = -1, .twin = -1 };
	if (of->storage == LANG_KEYS)
		keys_of(map)->max = of->max_entries;
	if (!script_map_in_kernel(map) || of->value->kind == TYPE_NONE)
		return 0;
	add_name(name, of->name);
	key_size = script_map_is_array(map) ? sizeof(uint32_t) : lang_key_size(of);
	map->fd = keep_map(keep, name, types[of->storage], key_size, of->value->size, of->max_entries);
	if (map->fd == -ESTALE)
		return keep_stale(err, of->name);
	if (map->fd >= 0)
		return 0;
	map->fd = bpf_map_create(types[of->storage], name, key_size, of->value->size, of->max_entries, NULL);
	ret = map->fd < 0 ? map->fd : make_twin(map, name, key_size, keep);
	if (ret)
		return err_set(err, ret, "cannot create the map %s with %u entries: %s", of->name, of->max_entries,
			       ret == -EPERM ? quirk_denial() : strerror(-ret));
	keep_map_created(keep, name, map->fd);
	return 0;
}

void script_totals_release(struct script_totals *totals)
{
	set_release(&totals->keys);
	str_release(&totals->values);
	*totals = (struct script_totals){};
}

void script_map_release(struct script_map *map)
{
	if (map->map && map->fd >= 0)
		close(map->fd);
	if (map->map && map->twin >= 0)
		close(map->twin);
	script_totals_release(&map->base);
	script_totals_release(&map->shown);
	*map = (struct script_map){ .fd = -1, .twin = -1 };
}

/* --- reading --- */

/* Appends an entry; its value is a zeroed one of the map's type. */
static char *add_entry(struct script_entries *entries, const void *key, size_t key_size)
{
	struct script_entry *entry = vec_push(entries);
	__free char *zero = base_alloc(entries->map->value->size + 1);

	entry->key = pool_copy(&entries->pool, key, key_size);
	entry->value = pool_copy(&entries->pool, zero, entries->map->value->size);
	return (char *)entry->value;
}

static void read_shards(const struct script_map *map, struct script_entries *entries, uint32_t slot, const void *key,
			size_t key_size)
{
	const struct lang_map *of = map->map;
	char *value = add_entry(entries, key, key_size);

	for (uint32_t i = 0; i < map->memory->layout.n; i++)
		script_map_merge(of->value, value,
				 map->memory->shards + i * map->memory->layout.size + of->at_cell +
					 (size_t)slot * of->value->size);
}

/* The mark of a key that is only half written is not that of its words. */
static void read_keys(const struct script_map *map, struct script_entries *entries)
{
	const struct lang_keys *keys = keys_of(map);

	for (uint32_t i = 0; i < map->map->n_slots; i++) {
		struct lang_key key = keys->v[i];

		if (key.mark && key.mark == LANG_KEY_MARK(key.words[0], key.words[1]))
			read_shards(map, entries, i, key.words, lang_key_size(map->map));
	}
}

struct reading {
	const struct script_map *map;
	struct script_entries *entries;
};

static void on_entry(const void *key, const void *from, void *ctx)
{
	const struct reading *reading = ctx;
	const struct type *type = reading->map->map->value;
	size_t stride = (type->size + 7) / 8 * 8;
	int n = script_map_is_per_cpu(reading->map) ? cpus_ids() : 1;
	uint64_t index = 0;
	char *value;

	if (script_map_is_array(reading->map)) {
		memcpy(&index, key, sizeof(uint32_t));
		key = &index;
	}
	value = add_entry(reading->entries, key, lang_key_size(reading->map->map));
	for (int i = 0; i < n; i++)
		script_map_merge(type, value, (const char *)from + i * stride);
}

static void read_tasks(const struct script_map *map, const struct reading *reading)
{
	const struct lang_tasks *tasks = script_map_tasks(map);

	for (uint32_t i = 0; tasks && i < LANG_TASKS; i++) {
		struct lang_task task = tasks->v[i];
		uint64_t tid = (uint32_t)task.key;

		if (task.key)
			on_entry(&tid, &task.value, (void *)reading);
	}
}

/* What programs add meanwhile may be there or not; if the kernel has no batches for the type, one by one. */
static int read_map(const struct script_map *map, struct script_entries *entries)
{
	size_t key_size = script_map_is_array(map) ? sizeof(uint32_t) : lang_key_size(map->map);
	const struct batch_map batch = { map->fd, map->map->max_entries, key_size, script_map_room(map) };
	struct reading reading = { map, entries };
	__free char *keys = NULL, *value = NULL;
	const void *before = NULL;
	size_t of_tasks;

	if (map->fd < 0)
		return 0;
	read_tasks(map, &reading);
	of_tasks = entries->n;
	if (!batch_read(&batch, on_entry, &reading))
		return 0;
	entries->n = of_tasks;
	keys = base_alloc(key_size);
	value = base_alloc(batch.value_size);
	/* a program may delete the key that comes next: the limit ends a walk that starts over each time */
	for (uint32_t i = 0; i < map->map->max_entries && !bpf_map_get_next_key(map->fd, before, keys); i++) {
		if (!bpf_map_lookup_elem(map->fd, keys, value))
			on_entry(keys, value, &reading);
		before = keys;
	}
	return 0;
}

int script_map_read_raw(const struct script_map *map, struct script_entries *entries)
{
	const struct lang_map *of = map->map;

	*entries = (struct script_entries){ .map = of };
	if (of->value->kind == TYPE_NONE)
		return 0;
	switch (of->storage) {
	case LANG_CELL:
		if (map->memory->cells[of->at_cell + of->value->size])
			memcpy(add_entry(entries, NULL, 0), map->memory->cells + of->at_cell, of->value->size);
		return 0;
	case LANG_CELLS:
		read_shards(map, entries, 0, NULL, 0);
		return 0;
	case LANG_SLOTS:
		for (uint32_t slot = 0; slot < of->n_slots; slot++)
			read_shards(map, entries, slot, &slot, sizeof(slot));
		return 0;
	case LANG_KEYS:
		read_keys(map, entries);
		return 0;
	default:
		return read_map(map, entries);
	}
}

/* --- what was cleared --- */

char *script_totals_of(struct script_totals *totals, const struct lang_map *map, const struct script_entry *entry)
{
	size_t size = map->value->size;
	uint32_t number = set_add(&totals->keys, entry->key ? entry->key : "", entry->key ? map->key->size : 0);

	if (number * size == totals->values.len)
		str_add_fill(&totals->values, 0, size);
	return totals->values.data + number * size;
}

void script_totals_set(struct script_totals *totals, const struct lang_map *map, const struct script_entries *entries)
{
	script_totals_release(totals);
	script_totals_of(totals, map, &(struct script_entry){});
	vec_each(entry, entries)
		memcpy(script_totals_of(totals, map, entry), entry->value, map->value->size);
}

/* Whether the user sees an entry without anything in it: what was zeroed, and a key that is there. */
static bool shows_empty(const struct script_map *map)
{
	const struct lang_map *of = map->map;

	if (!type_is_aggregate(of->value) && !script_map_is_sum(map))
		return true;
	if (of->storage == LANG_SLOTS)
		return false;
	if (map->base.keys.n || of->storage == LANG_CELL)
		return !map->is_cleared;
	return of->key;
}

/* Leaves out what was cleared. */
static void subtract(struct script_map *map, struct script_entries *entries)
{
	const struct type *type = map->map->value;
	bool has_base = map->base.keys.n;
	size_t n = 0;

	for (size_t i = 0; i < entries->n; i++) {
		struct script_entry *entry = &entries->v[i];

		if (has_base)
			script_map_add_words((void *)entry->value,
					     (const void *)script_totals_of(&map->base, map->map, entry), type->size,
					     true);
		if (shows_empty(map) || !script_map_is_empty(type, entry->value))
			entries->v[n++] = *entry;
	}
	entries->n = n;
}

int script_map_read(struct script_map *map, struct script_entries *entries)
{
	int ret = script_map_read_raw(map, entries);

	subtract(map, entries);
	return ret;
}

int script_map_read_totals(const struct script_map *map, struct script_entries *entries, size_t *others)
{
	int ret = script_map_read_raw(map, entries);

	*others = SIZE_MAX;
	if (ret || !map->map->has_others)
		return ret;
	*others = entries->n;
	read_shards(map, entries, map->map->storage == LANG_KEYS ? map->map->n_slots : 0, NULL, 0);
	return 0;
}

int script_map_read_shown(struct script_map *map, uint64_t time, struct script_entries *entries)
{
	int ret = script_map_read_raw(map, entries);

	if (map->keeps_shown && (script_map_is_additive(map->map->value) || script_map_is_sum(map))) {
		script_totals_set(&map->shown, map->map, entries);
		map->shown_at = time;
	}
	subtract(map, entries);
	return ret;
}
