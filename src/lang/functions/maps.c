// SPDX-License-Identifier: BSD-2-Clause
/* Functions that take a map: delete(), has_key(), find(), len(), clear(), zero(). */
#include "lang/check/checker.h"
#include "lang/lower/lowering.h"

/* delete(@x[k]) is how it was written once: becomes delete(@x, k). */
static void check_split_delete(struct checker *c, struct ast *call)
{
	struct ast *map = call->call.args, *key;

	if (map->kind != AST_MAP || !map->map.keys || map->next)
		return;
	key = map->map.keys;
	if (key->next) {
		struct ast *tuple = pool_alloc(c->pool, sizeof(*tuple));

		tuple->kind = AST_TUPLE;
		tuple->at = key->at;
		tuple->list.first = key;
		key = tuple;
	}
	map->map.keys = NULL;
	map->map.key = NULL;
	map->next = key;
	call->call.n = 2;
}

/* The map of the first argument, which has keys; the second is one. NULL with an error. */
static struct lang_map *check_keyed(struct checker *c, struct ast *call)
{
	struct ast *arg = call->call.args;
	struct lang_map *map = check_map_whole(c, arg, call->call.name);

	if (!map)
		return NULL;
	if (!map->key) {
		check_error(c, arg->at, "%s() expects a map with explicit keys (non-scalar map), %s has none",
			    call->call.name, map->name);
		return NULL;
	}
	return check_map_key(c, map, arg->next) || !c->is_final ? map : NULL;
}

static const struct type *check_delete(struct checker *c, struct ast *call)
{
	struct lang_map *map;

	check_split_delete(c, call);
	if (call->call.n == 1) {
		map = check_map_whole(c, call->call.args, "delete");
		if (map && map->key)
			check_error(c, call->at,
				    "delete() expects a map with no keys for the first argument: give a key of %s",
				    map->name);
		return type_bool();
	}
	map = check_keyed(c, call);
	if (map && call->call.is_unused) {
		struct lang_site *site = check_site_new(c, SITE_MISSING, call);

		if (site)
			site->format = "Can't delete map element because it does not exist.";
	}
	return type_bool();
}

static struct low_value lower_delete(struct lower *l, struct ast *call)
{
	struct ast *map = call->call.args;

	return lower_map_delete(l, call, map->map.map, map->next ? map->next : map->map.key);
}

FUNCTION(delete, 1, 2, check_delete, lower_delete, .is_statement = true,
	 .map = { .is_keyed = true, .is_unused = true, .is_deleted = true });

static const struct type *check_has_key(struct checker *c, struct ast *call)
{
	check_keyed(c, call);
	return type_bool();
}

/* has_key(@x, key); find(@x, key, $v) also copies the value to the variable if it is there. */
static struct low_value lower_find(struct lower *l, struct ast *call)
{
	struct ast *map = call->call.args, *key = map->next;

	return lower_map_find(l, call, map->map.map, key, key->next);
}

FUNCTION(has_key, 2, 2, check_has_key, lower_find, .map = { .is_keyed = true });

static const struct type *check_find(struct checker *c, struct ast *call)
{
	struct lang_map *map = check_keyed(c, call);
	struct ast *result = check_argument(call, 2);
	const struct type *type;

	if (result->kind != AST_VARIABLE) {
		check_error(c, result->at, "find() stores what it found in a variable: $x");
		return type_bool();
	}
	check_expression(c, result);
	if (!map || !result->variable.variable)
		return type_bool();
	type = type_is_aggregate(map->value) ? check_aggregate_read(map->value) : map->value;
	if (!type)
		check_error(c, call->at, "the value of a map of type '%s' can only be printed",
			    check_show(c, map->value));
	else if (check_grow_variable(c, result->variable.variable, type, result->at))
		result->type = result->variable.variable->type;
	return type_bool();
}

FUNCTION(find, 3, 3, check_find, lower_find);

static const struct type *check_len(struct checker *c, struct ast *call)
{
	struct ast *arg = call->call.args;
	struct lang_map *map;

	if (arg->kind != AST_MAP || arg->map.keys) {
		const struct type *type = check_value(c, arg);

		if (type->kind != TYPE_NONE && !type_is_stack(type))
			check_error(c, arg->at, "len() expects a map or stack to be provided, not '%s'",
				    check_show(c, type));
		return type_integer(8, true);
	}
	map = check_map_whole(c, arg, "len");
	if (map && type_is_stack(map->value) && !map->key) {
		check_value(c, arg);
		return type_integer(8, true);
	}
	if (map && !map->key)
		check_error(c, arg->at, "len() expects a map with explicit keys (non-scalar map)");
	if (map && !c->options->features.for_each)
		check_error(c, call->at, "this kernel cannot count the keys of a map (Linux 5.13 can)");
	return type_integer(8, true);
}

FUNCTION(len, 1, 1, check_len, lower_len);

static const struct type *check_emptied(struct checker *c, struct ast *call)
{
	struct lang_map *map = check_map_whole(c, call->call.args, call->call.name);
	struct lang_site *site = map ? check_site_new(c, call->call.function->site, call) : NULL;

	if (site)
		site->map = map;
	if (map && call->call.function->site == SITE_CLEAR)
		map->is_cleared = true;
	return type_void();
}

static struct low_value lower_emptied(struct lower *l, struct ast *call)
{
	lower_record(l, call->call.site, NULL);
	return lower_nothing(l, call);
}

FUNCTION(clear, 1, 1, check_emptied, lower_emptied, .is_statement = true, .site = SITE_CLEAR,
	 .map = { .is_shown = true, .is_unused = true });
FUNCTION(zero, 1, 1, check_emptied, lower_emptied, .is_statement = true, .site = SITE_ZERO,
	 .map = { .is_shown = true, .is_unused = true, .keeps_keys = true });
