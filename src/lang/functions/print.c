// SPDX-License-Identifier: BSD-2-Clause
/* print() of a value, of a map, and of one entry of a map; printa(). */
#include "lang/check/checker.h"
#include "lang/lower/lowering.h"
#include "lang/tree/ast_walk.h"

/* What printa() has an argument for: each part of the key, then the value. */
static struct ast *check_printed_values(struct checker *c, const struct lang_map *map, struct span at)
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

/* --- print(args) of a system call --- */

static struct ast *new_node(struct checker *c, enum ast_kind kind, struct span at)
{
	struct ast *node = pool_alloc(c->pool, sizeof(*node));

	node->kind = kind;
	node->at = at;
	return node;
}

static struct ast *new_number(struct checker *c, int64_t value, struct span at)
{
	struct ast *node = new_node(c, AST_INTEGER, at);

	node->integer.value = value;
	return node;
}

/* args.NAME */
static struct ast *new_field(struct checker *c, const struct ast *args, const char *name)
{
	struct ast *field = new_node(c, AST_FIELD, args->at);

	field->field.of = ast_copy(c->pool, args);
	field->field.of->next = NULL;
	field->field.name = name;
	return field;
}

/* str(args.NAME), or buf(args.NAME, length); registers: the names of the fields. */
static struct ast *new_read(struct checker *c, const struct ast *args, const struct lang_argument *registers,
			    const struct lang_memory *memory)
{
	struct ast *call = new_node(c, AST_CALL, args->at), *length, *less;

	call->call.name = memory->is_text ? "str" : "buf";
	call->call.is_decoded = true;
	call->call.args = new_field(c, args, registers[memory->arg].name);
	if (memory->is_text)
		return call;
	length = new_number(c, memory->size, args->at);
	call->call.args->next = length;
	if (memory->count < 0)
		return call;
	less = new_node(c, AST_BINARY, args->at);
	less->binary.op = OP_LT;
	less->binary.left = new_field(c, args, registers[memory->count].name);
	less->binary.right = ast_copy(c->pool, length);
	call->call.args->next = new_node(c, AST_TERNARY, args->at);
	call->call.args->next->branch.condition = less;
	call->call.args->next->branch.then = new_field(c, args, registers[memory->count].name);
	call->call.args->next->branch.otherwise = length;
	return call;
}

/*
 * The tuple of what a call's line is made of: its number, its registers, and what they point to. NULL: the probe is none
 * of a system call.
 */
static struct ast *decoded_of(struct checker *c, const struct ast *args)
{
	const struct lang_arguments *fields = &c->probe->arguments;
	const struct target_set *targets = &c->probe->probe->targets;
	struct lang_memory memory[LANG_MEMORIES];
	struct ast *tuple, **end;
	size_t first = 0, n;

	if (!c->options->call_memory || !builtin_is(args, "args") || c->probe->probe->kind != PROBE_TRACEPOINT ||
	    !targets->n || !targets->v[0].syscall)
		return NULL;
	while (first < fields->n && strcmp(fields->v[first].name, "__syscall_nr") != 0)
		first++;
	if (first == fields->n)
		return NULL;
	tuple = new_node(c, AST_TUPLE, args->at);
	end = &tuple->list.first;
	for (size_t i = first; i < fields->n; i++, end = &(*end)->next)
		*end = new_field(c, args, fields->v[i].name);
	first++;
	n = c->options->call_memory(targets->v[0].syscall - 1, memory);
	for (size_t i = 0; i < n; i++) {
		if (memory[i].arg >= fields->n - first || memory[i].count >= (int)(fields->n - first) ||
		    memory[i].size > c->program->config.max_strlen)
			continue;
		*end = new_read(c, args, &fields->v[first], &memory[i]);
		end = &(*end)->next;
	}
	return tuple;
}

/* The argument becomes the tuple, at the first pass. False: it is another print(). */
static bool check_print_call(struct checker *c, struct ast *call)
{
	const struct lang_arguments *fields = &c->probe->arguments;
	const char *last = fields->n ? fields->v[fields->n - 1].name : "";
	struct ast *tuple = call->call.is_decoded ? call->call.args : decoded_of(c, call->call.args);
	struct lang_site *site;
	uint32_t n = 0;

	if (!tuple)
		return false;
	call->call.is_decoded = true;
	call->call.args = tuple;
	tuple->type = type_void();
	for (struct ast *part = tuple->list.first; part; part = part->next) {
		part->type = check_expression(c, part);
		n += part->kind == AST_FIELD;
	}
	site = check_site_new(c, strcmp(last, "ret") ? SITE_CALL : SITE_CALL_ENDS, call);
	if (!site)
		return true;
	site->call = c->probe->probe->targets.v[0].syscall - 1;
	site->n_registers = n - 1;
	check_site_arguments(c, site, tuple->list.first);
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
	if (!call->call.is_decoded)
		check_expression(c, arg);
	if (check_print_call(c, call))
		return type_void();
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

/* print() of a value, of a map, and of one entry of a map; printa(). */
static struct low_value lower_print(struct lower *l, struct ast *call)
{
	struct lang_site *site = call->call.site;
	struct ast *arg = call->call.args;
	struct low_value values[2];

	if (site->kind == SITE_PRINT_MAP) {
		lower_record(l, site, site->format ? arg->next->next : arg->next);
	} else if (site->kind == SITE_PRINT_ENTRY) {
		values[0] = lower_expression(l, arg->map.key);
		if (site->n_args > 1)
			values[1] = type_is_aggregate(arg->map.map->value)
					    ? lower_total(l, arg->map.map, arg->map.key, site->args[1].type)
					    : lower_map_read(l, arg->map.map, arg->map.key);
		lower_record_values(l, site, values);
	} else {
		lower_record(l, site, call->call.is_decoded ? arg->list.first : arg);
	}
	return lower_nothing(l, call);
}

FUNCTION(print, 1, 3, check_print, lower_print, .is_statement = true,
	 .map = { .is_shown = true, .is_unused = true, .keeps_keys = true });

static const struct type *check_printa(struct checker *c, struct ast *call)
{
	const char *format = check_text_argument(c, call, 0);

	return format ? check_print_map(c, call, format) : type_void();
}

FUNCTION(printa, 2, 3, check_printa, lower_print, .is_statement = true, .map = { .is_shown = true, .is_unused = true });
