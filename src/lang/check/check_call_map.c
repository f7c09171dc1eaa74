// SPDX-License-Identifier: BSD-2-Clause
/* Functions that take a map: delete(), has_key(), find(), len(), clear(), zero(), print(), printa(). */
#include "check_part.h"

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
	if (map && c->options->reports_faults) {
		struct lang_site *site = check_site_new(c, SITE_MISSING, call);

		if (site)
			site->format = "Can't delete map element because it does not exist.";
	}
	return type_bool();
}

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
	if (map && type_is_stack(map->value) && !map->key)
		return type_integer(8, true);
	if (map && !map->key)
		check_error(c, arg->at, "len() expects a map with explicit keys (non-scalar map)");
	if (map && !c->options->features.for_each)
		check_error(c, call->at, "this kernel cannot count the keys of a map (Linux 5.13 can)");
	return type_integer(8, true);
}

static const struct type *check_clear(struct checker *c, struct ast *call)
{
	struct lang_map *map = check_map_whole(c, call->call.args, call->call.name);
	struct lang_site *site;

	if (!map)
		return type_void();
	site = check_site_new(c, call->call.function->id == FUNCTION_CLEAR ? SITE_CLEAR : SITE_ZERO, call);
	if (site)
		site->map = map;
	return type_void();
}

/* What printa() has an argument for: each part of the key, then the value. */
static struct ast *check_printed_values(struct checker *c, const struct lang_map *map, struct place at)
{
	const struct type *key = map->key, *value = map->value;
	uint32_t n = !key ? 0 : key->kind == TYPE_TUPLE ? key->n_fields
							: 1;
	struct ast *values = pool_alloc(c->pool, (n + 1) * sizeof(*values));

	if (type_is_aggregate(value) && check_aggregate_read(value))
		value = type_integer(8, value->is_signed);
	for (uint32_t i = 0; i <= n; i++) {
		values[i].at = at;
		values[i].type = i == n ? value : key->kind == TYPE_TUPLE ? key->fields[i].type
									  : key;
		values[i].next = i < n ? &values[i + 1] : NULL;
	}
	return values;
}

/* print(@x, top, div), printa(format, @x, top) */
static const struct type *check_print_map(struct checker *c, struct ast *call, const char *format)
{
	unsigned int first = format ? 2 : 1;
	struct ast *whole = check_argument(call, first - 1);
	struct lang_map *map = check_map_whole(c, whole, call->call.name);
	struct lang_site *site;
	int64_t value;

	for (unsigned int n = first; n < call->call.n; n++) {
		struct ast *arg = check_argument(call, n);

		if (check_constant_argument(c, call, n, &value) && value < 0)
			check_error(c, arg->at, "%s() %s must not be negative", call->call.name,
				    n == first ? "top" : "div");
		arg->type = type_integer(8, false);
	}
	if (map && format && c->is_final && map->value->kind != TYPE_NONE)
		check_format_types(c, call, format, check_printed_values(c, map, whole->at));
	if (!map)
		return type_void();
	site = check_site_new(c, SITE_PRINT_MAP, call);
	if (site) {
		site->map = map;
		site->format = format;
		check_site_arguments(c, site, whole->next);
	}
	return type_void();
}

static const struct type *check_printa(struct checker *c, struct ast *call)
{
	const char *format = check_text_argument(c, call, 0);

	return format ? check_print_map(c, call, format) : type_void();
}

/*
 * print(@x[key]) of a value that programs cannot read: a histogram, and before Linux 5.19 what all processors have
 * together. User space reads the value of this key. False: it is another value.
 */
static bool check_print_key(struct checker *c, struct ast *call)
{
	struct ast *arg = call->call.args, *key;
	struct lang_map *map = check_map_access(c, arg);
	struct lang_site *site;

	if (!map || !type_is_aggregate(map->value) ||
	    (check_aggregate_read(map->value) && c->options->features.percpu_lookup))
		return false;
	arg->type = map->value;
	site = check_site_new(c, SITE_PRINT_ENTRY, call);
	if (!site)
		return true;
	key = pool_alloc(c->pool, sizeof(*key));
	*key = *arg->map.key;
	key->next = NULL;
	key->type = map->key;
	site->map = map;
	check_site_arguments(c, site, key);
	return true;
}

static const struct type *check_print(struct checker *c, struct ast *call)
{
	struct ast *arg = call->call.args;
	const struct type *type;

	if (arg->kind == AST_MAP && !arg->map.keys) {
		if (c->n_loops)
			check_warning(c, call->at, "print() of a map in a loop prints what the map holds when the "
						   "record is read, which is later: print its entries");
		return check_print_map(c, call, NULL);
	}
	if (call->call.n > 1) {
		check_error(c, call->at, "%s",
			    arg->kind == AST_MAP ? "Single-value (i.e. indexed) map prints cannot be followed by a top "
						   "or divide argument"
						 : "Non-map print() only takes 1 argument");
		return type_void();
	}
	if (arg->kind == AST_MAP && check_print_key(c, call))
		return type_void();
	check_expression(c, arg);
	type = check_read(c, arg);
	if (type->kind == TYPE_NONE)
		return type_void();
	if (type->kind == TYPE_VOID) {
		check_error(c, arg->at, "this has no value that print() could show");
		return type_void();
	}
	check_site_arguments(c, check_site_new(c, SITE_PRINT, call), arg);
	return type_void();
}

const struct type *check_call_map(struct checker *c, struct ast *call)
{
	switch (call->call.function->id) {
	case FUNCTION_DELETE:
		return check_delete(c, call);
	case FUNCTION_HAS_KEY:
		check_keyed(c, call);
		return type_bool();
	case FUNCTION_FIND:
		return check_find(c, call);
	case FUNCTION_LEN:
		return check_len(c, call);
	case FUNCTION_PRINT:
		return check_print(c, call);
	case FUNCTION_PRINTA:
		return check_printa(c, call);
	default:
		return check_clear(c, call);
	}
}
