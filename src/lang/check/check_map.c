// SPDX-License-Identifier: BSD-2-Clause
/* Maps: their keys and values, which one inference over all probes finds, and how each is stored. */
#include "checker.h"

/* Bytes of the values of one LANG_KEYS on all processors. */
#define LANG_KEYS_MEMORY (4 << 20)

static struct lang_map *check_find_map(struct checker *c, const char *name)
{
	vec_each(map, &c->program->maps)
		if (!strcmp((*map)->name, name))
			return *map;
	return NULL;
}

static struct lang_map *check_make_map(struct checker *c, const char *name, struct span at)
{
	struct lang_map *map = pool_alloc(c->pool, sizeof(*map));

	map->name = map->typed = name;
	map->at = at;
	map->value = type_none();
	map->number = c->program->maps.n;
	map->max_entries = c->program->config.max_map_keys;
	for (const struct ast_map_declaration *declared = c->ast->maps; declared; declared = declared->next)
		if (!strcmp(declared->name, name)) {
			map->is_declared = true;
			map->max_entries = declared->entries;
		}
	*(struct lang_map **)vec_push(&c->program->maps) = map;
	return map;
}

static struct lang_map *check_get_map(struct checker *c, struct ast *ast)
{
	struct lang_map *map = check_find_map(c, ast->map.name);

	if (!map)
		map = check_make_map(c, ast->map.name, ast->at);
	ast->map.map = map;
	return map;
}

/* What a key of this type is stored as: text that user space makes of a number is its number. */
static bool check_key_is_allowed(const struct type *type)
{
	return type->kind != TYPE_VOID && !type_is_aggregate(type);
}

bool check_map_key(struct checker *c, struct lang_map *map, struct ast *key)
{
	const struct type *type = check_value(c, key), *joined;

	if (!map->key)
		map->key = type_none();
	if (type->kind == TYPE_NONE)
		return false;
	if (!check_key_is_allowed(type)) {
		check_error(c, key->at, "'%s' cannot be used as a map key", check_show(c, type));
		return false;
	}
	if (!check_join(c, map->key, type, &joined)) {
		check_error(c, key->at,
			    "Argument mismatch for %s: trying to access with arguments: '%s' when map expects "
			    "arguments: '%s'",
			    map->name, check_show(c, type), check_show(c, map->key));
		return false;
	}
	if (!check_same(joined, map->key))
		c->is_changed = true;
	map->key = joined;
	return true;
}

/* The keys as one expression. */
static struct ast *check_one_key(struct checker *c, struct ast *ast)
{
	if (ast->map.key)
		return ast->map.key;
	if (!ast->map.keys->next) {
		ast->map.key = ast->map.keys;
	} else {
		struct ast *last = ast->map.keys;

		while (last->next)
			last = last->next;
		ast->map.key = pool_alloc(c->pool, sizeof(struct ast));
		ast->map.key->kind = AST_TUPLE;
		ast->map.key->at = span_join(ast->map.keys->at, last->at);
		ast->map.key->list.first = ast->map.keys;
		for (const struct ast *key = ast->map.keys; key; key = key->next)
			ast->map.key->list.n++;
	}
	return ast->map.key;
}

struct lang_map *check_map_access(struct checker *c, struct ast *ast)
{
	struct lang_map *map = check_get_map(c, ast);
	bool was_used = map->key || map->value->kind != TYPE_NONE;

	if (ast->map.keys) {
		if (!map->key && was_used) {
			check_error(c, ast->at,
				    "%s used as a map with an explicit key (non-scalar map), previously used without "
				    "an explicit key (scalar map)",
				    map->name);
			return NULL;
		}
		check_label_key(c, map, check_one_key(c, ast));
		return check_map_key(c, map, ast->map.key) || !c->is_final ? map : NULL;
	}
	if (map->key) {
		check_error(c, ast->at,
			    "%s used as a map without an explicit key (scalar map), previously used with an explicit "
			    "key (non-scalar map)",
			    map->name);
		return NULL;
	}
	return map;
}

static void check_undefined_map(struct checker *c, const struct ast *ast)
{
	struct nearest nearest;

	check_error(c, ast->at, "Undefined map: %s", ast->map.name);
	if (!c->is_final)
		return;
	nearest_init(&nearest, ast->map.name);
	vec_each(other, &c->program->maps)
		if ((*other)->value->kind != TYPE_NONE)
			nearest_offer(&nearest, (*other)->name);
	if (nearest_name(&nearest))
		check_hint(c, ast->at, "did you mean '%s'?", nearest_name(&nearest));
}

const struct type *check_map(struct checker *c, struct ast *ast)
{
	struct lang_map *map = check_map_access(c, ast);

	if (!map)
		return type_none();
	if (map->value->kind == TYPE_NONE && c->is_guessing && map == c->assigned)
		return type_integer(8, true);
	if (map->value->kind == TYPE_NONE)
		check_undefined_map(c, ast);
	if (type_is_aggregate(map->value) && map->key && !c->options->features.percpu_lookup &&
	    check_aggregate_read(map->value)) {
		check_error(c, ast->at,
			    "this kernel cannot read the value of all processors from %s (Linux 5.19 can)", map->name);
		check_hint(c, ast->at, "print(%s) shows it; @x++ and @x += n count in a value that can be read",
			   map->name);
	}
	return map->value;
}

struct lang_map *check_map_whole(struct checker *c, struct ast *ast, const char *function)
{
	struct lang_map *map;

	if (ast->kind != AST_MAP) {
		check_error(c, ast->at, "%s() expects a map", function);
		return NULL;
	}
	if (ast->map.keys) {
		check_error(c, ast->at, "%s() takes the map as a whole: %s without a key", function, ast->map.name);
		return NULL;
	}
	map = check_get_map(c, ast);
	ast->type = map->value;
	if (map->value->kind == TYPE_NONE) {
		check_undefined_map(c, ast);
		return NULL;
	}
	return map;
}

bool check_grow_map(struct checker *c, struct lang_map *map, const struct type *type, struct span at)
{
	const struct type *joined;

	if (!check_join(c, map->value, type, &joined)) {
		check_error(c, at,
			    "Type mismatch for %s: trying to assign value of type '%s' when map already contains a "
			    "value of type '%s'",
			    map->name, check_show(c, type), check_show(c, map->value));
		return false;
	}
	if (!check_same(joined, map->value))
		c->is_changed = true;
	map->value = joined;
	return true;
}

const struct type *check_aggregate_read(const struct type *type)
{
	switch (type->kind) {
	case TYPE_COUNT:
		return type_integer(8, false);
	case TYPE_SUM:
	case TYPE_MIN:
	case TYPE_MAX:
	case TYPE_AVG:
		return type_integer(8, type->is_signed);
	default:
		return NULL;
	}
}

/* --- storage --- */

static const struct declared_kind {
	const char *name;
	enum lang_storage storage;
	bool is_percpu;
} declared_kinds[] = {
	{ "hash", LANG_HASH, false },
	{ "lruhash", LANG_LRU_HASH, false },
	{ "percpuhash", LANG_PERCPU_HASH, true },
	{ "percpulruhash", LANG_LRU_PERCPU_HASH, true },
	{ "array", LANG_ARRAY, false },
	{ "percpuarray", LANG_PERCPU_ARRAY, true },
};

/* The storage that `let @x = KIND(n)` asks for. */
static void check_declared_storage(struct checker *c, struct lang_map *map, const struct ast_map_declaration *declared)
{
	bool is_percpu = type_is_aggregate(map->value);
	struct nearest nearest;

	for (size_t i = 0; i < ARRAY_SIZE(declared_kinds); i++) {
		const struct declared_kind *kind = &declared_kinds[i];

		if (strcmp(kind->name, declared->kind))
			continue;
		map->storage = kind->storage;
		if (is_percpu != kind->is_percpu)
			check_error(c, declared->at,
				    "Incompatible map types. Type from declaration: %s. Type from value/key type: %s",
				    kind->name, is_percpu ? "percpuhash" : "hash");
		else if (!map->key)
			check_error(c, declared->at, "%s has no key: it needs no declaration", map->name);
		else if ((map->storage == LANG_ARRAY || map->storage == LANG_PERCPU_ARRAY) && map->key->size != 4)
			check_error(c, declared->at, "the key of %s must be a uint32, as it is declared as an array",
				    map->name);
		return;
	}
	check_error(c, declared->at, "Invalid bpf map type: %s", declared->kind);
	nearest_init(&nearest, declared->kind);
	for (size_t i = 0; i < ARRAY_SIZE(declared_kinds); i++)
		nearest_offer(&nearest, declared_kinds[i].name);
	check_hint(c, declared->at, "%s",
		   nearest_name(&nearest)
			   ? pool_addf(c->pool, "did you mean '%s'?", nearest_name(&nearest))
			   : "there are hash, lruhash, percpuhash, percpulruhash, array and percpuarray");
}

/* Gives the map size bytes of an area, on a border of 8 bytes. */
static uint32_t check_reserve(uint32_t *end, uint64_t size)
{
	uint32_t at = *end;

	*end += (size + 7) / 8 * 8;
	return at;
}

/* Claiming an entry takes an instruction that kernels before 5.12 do not have. */
static bool is_of_tasks(const struct checker *c, const struct lang_map *map)
{
	return !map->is_general && map->key->kind == TYPE_INTEGER && map->key->size == 4 && map->value->size <= 8 &&
	       map->max_entries >= LANG_TASKS && c->options->features.fetching_atomics;
}

/*
 * Whether the keys of totals need no hash of the kernel, which allocates all its entries at the start. The limits keep
 * the memory small that this takes instead.
 */
static bool is_of_keys(const struct checker *c, struct lang_map *map)
{
	const struct type *value = map->value;

	if (map->is_read || map->key->size > 16 || map->max_entries > LANG_KEYS_MAX / 2 ||
	    !c->options->features.fetching_atomics)
		return false;
	if (value->kind != TYPE_COUNT && value->kind != TYPE_SUM && value->kind != TYPE_AVG &&
	    value->kind != TYPE_STATS)
		return false;
	map->n_slots = 2;
	while (map->n_slots < 2 * map->max_entries)
		map->n_slots *= 2;
	return (uint64_t)map->n_slots * value->size * c->options->n_shards <= LANG_KEYS_MEMORY;
}

/* Exporters limit the keys of totals. Those that the program looks at itself must all be there. */
static void limit_keys(const struct checker *c, struct lang_map *map)
{
	uint32_t max = c->options->max_keys;

	map->has_others = max && !map->is_seen;
	if (map->has_others && map->max_entries > max)
		map->max_entries = max;
}

/* Of a map whose keys are values. */
static void check_key_storage(struct checker *c, struct lang_map *map, bool is_aggregate)
{
	struct lang_program *program = c->program;

	if (is_aggregate)
		limit_keys(c, map);
	if (is_aggregate && is_of_keys(c, map)) {
		map->storage = LANG_KEYS;
		map->at_cell = check_reserve(&program->shard_size,
					     (uint64_t)(map->n_slots + map->has_others) * map->value->size);
		map->at_keys = check_reserve(&program->cells_size,
					     sizeof(struct lang_keys) + map->n_slots * sizeof(struct lang_key));
		return;
	}
	map->storage = is_aggregate ? LANG_PERCPU_HASH : LANG_HASH;
	if (map->has_others)
		map->at_cell = check_reserve(&program->shard_size, map->value->size);
	map->has_tasks = !is_aggregate && is_of_tasks(c, map);
	if (map->has_tasks)
		map->at_cell = check_reserve(&program->cells_size, sizeof(struct lang_tasks));
}

static void check_storage(struct checker *c, struct lang_map *map)
{
	struct lang_program *program = c->program;
	bool is_aggregate = type_is_aggregate(map->value);

	for (const struct ast_map_declaration *declared = c->ast->maps; declared; declared = declared->next)
		if (!strcmp(declared->name, map->name)) {
			check_declared_storage(c, map, declared);
			return;
		}
	if (!map->key) {
		map->storage = is_aggregate ? LANG_CELLS : LANG_CELL;
		/* A plain value is followed by a byte that tells whether it was assigned. */
		map->at_cell = is_aggregate ? check_reserve(&program->shard_size, map->value->size)
					    : check_reserve(&program->cells_size, map->value->size + 1);
	} else if (is_aggregate && (map->key->kind == TYPE_PROBE || map->key->kind == TYPE_FUNCTION)) {
		map->storage = LANG_SLOTS;
		map->n_slots = program->places.n;
		map->at_cell = check_reserve(&program->shard_size, (uint64_t)map->n_slots * map->value->size);
	} else {
		check_key_storage(c, map, is_aggregate);
	}
}

/* Older kernels allow no key that is longer than the stack of a program. */
static void check_key_size(struct checker *c, const struct lang_map *map)
{
	if (!map->key || map->key->size <= 512 || c->options->features.large_keys)
		return;
	check_error(c, map->at, "the key of %s has %u bytes, and this kernel allows 512 (Linux 5.11 allows more)",
		    map->name, map->key->size);
	check_hint(c, map->at, "max_strlen, or a length as in str(x, 100), makes texts shorter");
}

/* What clear() subtracts from then on; in time, the keys that are left have to be freed (src/script/script_map_clear.c). */
static void check_twin(struct checker *c, struct lang_map *map)
{
	bool is_sum = map->value->kind == TYPE_INTEGER && map->value->size == sizeof(uint64_t) && !map->is_set &&
		      !map->is_valued;
	bool is_total = type_is_aggregate(map->value) && map->value->kind != TYPE_MIN &&
			map->value->kind != TYPE_MAX && map->value->kind != TYPE_TSERIES;
	bool is_added = is_total ? !map->is_seen : is_sum;

	map->has_twin = (map->is_cleared || c->options->clears) && is_added && !map->has_tasks && !map->has_others &&
			(map->storage == LANG_HASH || map->storage == LANG_PERCPU_HASH);
	if (map->has_twin)
		map->at_turn = check_reserve(&c->program->cells_size, sizeof(uint64_t));
}

void check_maps_finish(struct checker *c)
{
	c->program->cells_size = c->program->shard_size = 0;
	check_tasks(c);
	vec_each(map, &c->program->maps)
		if ((*map)->value->kind != TYPE_NONE) {
			check_storage(c, *map);
			check_twin(c, *map);
			check_key_size(c, *map);
		}
	check_texts_finish(c);
	c->program->shard_size = (c->program->shard_size + 63) / 64 * 64;
}
