// SPDX-License-Identifier: BSD-2-Clause
/* Makes, compares and names types. Knows nothing of the kernel's types or of C's text; ctype.c does. */
#include "type.h"

const struct type *type_integer(uint32_t size, bool is_signed)
{
#define INTEGER(n, sign) \
	{ \
		.kind = TYPE_INTEGER, .size = (n), .align = (n), .is_signed = (sign) \
	}
	static const struct type types[][2] = {
		{ INTEGER(1, false), INTEGER(1, true) },
		{ INTEGER(2, false), INTEGER(2, true) },
		{ INTEGER(4, false), INTEGER(4, true) },
		{ INTEGER(8, false), INTEGER(8, true) },
	};
#undef INTEGER

	return &types[size == 1 ? 0 : size == 2 ? 1
			      : size == 4	? 2
						: 3][is_signed];
}

/* Kinds without parameters; those with some have their name here, too. */
#define SIMPLE(KIND, NAME, SIZE, ALIGN, ...) \
	[KIND] = { NAME, { .kind = (KIND), .size = (SIZE), .align = (ALIGN), ##__VA_ARGS__ } }
static const struct {
	const char *name;
	struct type type;
} kinds[TYPES] = {
	SIMPLE(TYPE_NONE, "none", 0, 1),
	SIMPLE(TYPE_VOID, "void", 0, 1),
	SIMPLE(TYPE_BOOL, "bool", 1, 1),
	SIMPLE(TYPE_KSYM, "ksym_t", 8, 8),
	SIMPLE(TYPE_USYM, "usym_t", sizeof(struct lang_usym), 8),
	SIMPLE(TYPE_KSTACK, "kstack", 8, 8),
	SIMPLE(TYPE_USTACK, "ustack", sizeof(struct lang_ustack), 8),
	SIMPLE(TYPE_INET, "inet", sizeof(struct lang_inet), 4),
	SIMPLE(TYPE_MAC, "mac_address", 6, 1),
	SIMPLE(TYPE_FLOAT, "double", 8, 8),
	SIMPLE(TYPE_TIME, "timestamp", sizeof(struct lang_time), 8),
	SIMPLE(TYPE_CGROUP_PATH, "cgroup_path_t", sizeof(struct lang_cgroup), 8),
	SIMPLE(TYPE_NAMED, "named", 4, 4, .is_signed = true),
	SIMPLE(TYPE_USER, "username", 4, 4),
	SIMPLE(TYPE_PROBE, "probe", 4, 4),
	SIMPLE(TYPE_FUNCTION, "func", 4, 4),
	SIMPLE(TYPE_COUNT, "count_t", 8, 8),
	SIMPLE(TYPE_SUM, "sum_t", 8, 8),
	SIMPLE(TYPE_MIN, "min_t", sizeof(struct lang_extreme), 8),
	SIMPLE(TYPE_MAX, "max_t", sizeof(struct lang_extreme), 8),
	SIMPLE(TYPE_AVG, "avg_t", sizeof(struct lang_average), 8),
	SIMPLE(TYPE_STATS, "stats_t", sizeof(struct lang_average), 8),
	SIMPLE(TYPE_STDDEV, "stddev_t", sizeof(struct lang_deviation), 8),
	SIMPLE(TYPE_HIST, "hist_t", 0, 8),
	SIMPLE(TYPE_LHIST, "lhist_t", 0, 8),
	SIMPLE(TYPE_QUANTILES, "quantiles_t", 0, 8),
	SIMPLE(TYPE_TSERIES, "tseries_t", 0, 8),
};

const struct type *type_simple(enum type_kind kind)
{
	return &kinds[kind].type;
}

const struct type *type_float(uint32_t size)
{
	static const struct type single = { .kind = TYPE_FLOAT, .size = 4, .align = 4 };

	return size == 4 ? &single : type_simple(TYPE_FLOAT);
}

const struct type *type_bool(void)
{
	return type_simple(TYPE_BOOL);
}

const struct type *type_void(void)
{
	return type_simple(TYPE_VOID);
}

const struct type *type_none(void)
{
	return type_simple(TYPE_NONE);
}

const struct type *type_copy(struct pool *pool, const struct type *type)
{
	return pool_copy(pool, type, sizeof(*type));
}

const struct type *type_named(struct pool *pool, const struct type_naming *naming)
{
	struct type *type = (struct type *)type_copy(pool, type_simple(TYPE_NAMED));

	type->naming = naming;
	return type;
}

const struct type *type_string(struct pool *pool, uint32_t size)
{
	return type_copy(pool, &(struct type){ .kind = TYPE_STRING, .size = size, .align = 1 });
}

const struct type *type_buffer(struct pool *pool, uint32_t size)
{
	return type_copy(pool, &(struct type){ .kind = TYPE_BUFFER, .size = size + sizeof(uint32_t), .align = 4 });
}

const struct type *type_pointer(struct pool *pool, const struct type *of, enum type_space space)
{
	return type_copy(pool,
			 &(struct type){ .kind = TYPE_POINTER, .size = 8, .align = 8, .of = of, .space = space });
}

const struct type *type_array(struct pool *pool, const struct type *of, uint32_t count)
{
	return type_copy(pool, &(struct type){
				       .kind = TYPE_ARRAY,
				       .size = of->size * count,
				       .align = of->align,
				       .of = of,
				       .count = count,
			       });
}

static uint32_t align_up(uint32_t n, uint32_t align)
{
	return align ? (n + align - 1) / align * align : n;
}

const struct type *type_tuple(struct pool *pool, const struct type_field *fields, uint32_t n, bool is_record)
{
	struct type_field *copy = n ? (void *)pool_copy(pool, fields, n * sizeof(*fields)) : NULL;
	struct type type = { .kind = is_record ? TYPE_RECORD : TYPE_TUPLE, .align = 1, .fields = copy, .n_fields = n };

	for (uint32_t i = 0; i < n; i++) {
		copy[i].at = align_up(type.size, copy[i].type->align);
		type.size = copy[i].at + copy[i].type->size;
		if (copy[i].type->align > type.align)
			type.align = copy[i].type->align;
	}
	type.size = align_up(type.size, type.align);
	return type_copy(pool, &type);
}

bool type_is_integral(const struct type *type)
{
	return type->kind == TYPE_INTEGER || type->kind == TYPE_BOOL || type->kind == TYPE_ENUM;
}

bool type_is_scalar(const struct type *type)
{
	return type_is_integral(type) || type->kind == TYPE_POINTER;
}

bool type_is_aggregate(const struct type *type)
{
	return type->kind >= TYPE_COUNT && type->kind <= TYPE_TSERIES;
}

bool type_is_stack(const struct type *type)
{
	return type->kind == TYPE_KSTACK || type->kind == TYPE_USTACK;
}

static bool same_fields(const struct type *a, const struct type *b)
{
	if (a->n_fields != b->n_fields)
		return false;
	for (uint32_t i = 0; i < a->n_fields; i++)
		if (!str_same(a->fields[i].name, b->fields[i].name) || !type_same(a->fields[i].type, b->fields[i].type))
			return false;
	return true;
}

static bool same_hist(const struct type_hist *a, const struct type_hist *b)
{
	return a->buckets == b->buckets && a->bits == b->bits && a->min == b->min && a->max == b->max &&
	       a->step == b->step && a->interval == b->interval && a->of == b->of;
}

/* Structs and enums are one if C calls them one; those without a name, if they are one declaration. */
static bool same_named(const struct type *a, const struct type *b)
{
	if (!a->name && !b->name)
		return a->origin ? a->origin == b->origin : a->fields == b->fields;
	return str_same(a->name, b->name) && a->is_union == b->is_union;
}

bool type_same(const struct type *a, const struct type *b)
{
	if (a == b)
		return true;
	if (a->kind != b->kind)
		return false;
	switch (a->kind) {
	case TYPE_POINTER:
		return type_same(a->of, b->of);
	case TYPE_ARRAY:
		return a->count == b->count && type_same(a->of, b->of);
	case TYPE_STRUCT:
		return same_named(a, b);
	case TYPE_ENUM:
		return same_named(a, b) && a->size == b->size;
	case TYPE_TUPLE:
	case TYPE_RECORD:
		return same_fields(a, b);
	case TYPE_KSTACK:
	case TYPE_USTACK:
		return a->mode == b->mode && a->limit == b->limit;
	case TYPE_TIME:
	case TYPE_CGROUP_PATH:
		return a->format == b->format;
	case TYPE_NAMED:
		return a->naming == b->naming;
	default:
		return a->size == b->size && a->is_signed == b->is_signed && same_hist(&a->hist, &b->hist);
	}
}

bool type_field_find(const struct type *type, const char *name, struct type_field *field)
{
	for (uint32_t i = 0; i < type->n_fields; i++) {
		const struct type_field *it = &type->fields[i];
		uint32_t at = it->at;

		if (it->name && !strcmp(it->name, name)) {
			*field = *it;
			return true;
		}
		if (!it->name && it->type->kind == TYPE_STRUCT && type_field_find(it->type, name, field)) {
			field->at += at;
			return true;
		}
	}
	return false;
}

static void show_fields(const struct type *type, struct str *to)
{
	bool record = type->kind == TYPE_RECORD;

	str_add(to, record ? "{" : "(");
	for (uint32_t i = 0; i < type->n_fields; i++) {
		if (i)
			str_addc(to, ',');
		if (record)
			str_addf(to, " .%s = ", type->fields[i].name);
		type_show(type->fields[i].type, to);
	}
	str_add(to, record ? " }" : ")");
}

static void show_integer(const struct type *type, struct str *to)
{
	str_addf(to, "%sint%u", type->is_signed ? "" : "u", type->size * 8);
}

static void show_pointer(const struct type *type, struct str *to)
{
	type_show(type->of, to);
	str_add(to, type->of->kind == TYPE_POINTER ? "*" : " *");
}

/* As C writes it: the outermost array first. */
static void show_array(const struct type *type, struct str *to)
{
	const struct type *of = type->of;

	while (of->kind == TYPE_ARRAY)
		of = of->of;
	type_show(of, to);
	for (; type->kind == TYPE_ARRAY; type = type->of)
		str_addf(to, "[%u]", type->count);
}

void type_show(const struct type *type, struct str *to)
{
	switch (type->kind) {
	case TYPE_INTEGER:
		show_integer(type, to);
		break;
	case TYPE_ENUM:
		str_addf(to, "enum %s", type->name ? type->name : "(unnamed)");
		break;
	case TYPE_STRUCT:
		str_addf(to, "%s %s", type->is_union ? "union" : "struct", type->name ? type->name : "(unnamed)");
		break;
	case TYPE_POINTER:
		show_pointer(type, to);
		break;
	case TYPE_ARRAY:
		show_array(type, to);
		break;
	case TYPE_STRING:
		str_addf(to, "string[%u]", type->size);
		break;
	case TYPE_BUFFER:
		str_addf(to, "buffer[%u]", type->size - (uint32_t)sizeof(uint32_t));
		break;
	case TYPE_TUPLE:
	case TYPE_RECORD:
		show_fields(type, to);
		break;
	case TYPE_NAMED:
		str_add(to, type->naming->name);
		break;
	case TYPE_FLOAT:
		str_add(to, type->size == 4 ? "float" : "double");
		break;
	default:
		str_add(to, kinds[type->kind].name);
	}
}
