// SPDX-License-Identifier: BSD-2-Clause
/* Maps as text, to the byte as bpftrace prints them. */
#include "script_print.h"

void script_entries_release(struct script_entries *entries)
{
	free(entries->v);
	pool_release(&entries->pool);
	*entries = (struct script_entries){};
}

/* --- values --- */

bool script_print_is_hist(const struct type *type)
{
	return type->kind == TYPE_HIST || type->kind == TYPE_LHIST || type->kind == TYPE_TSERIES;
}

bool script_print_is_stats(const struct type *type)
{
	return type->kind == TYPE_AVG || type->kind == TYPE_STATS || type->kind == TYPE_STDDEV ||
	       type->kind == TYPE_QUANTILES;
}

/* As C divides: towards 0. */
static int64_t divided(int64_t number, uint64_t by, bool is_signed)
{
	if (!by)
		return number;
	if (is_signed)
		return by > INT64_MAX ? 0 : number / (int64_t)by;
	return (uint64_t)number / by;
}

static int64_t average(const struct type *type, const struct lang_average *value)
{
	return value->count ? divided(value->total, value->count, type->is_signed) : 0;
}

/* The square root of (squares - total * total / count) / count; whole numbers only, as elsewhere. */
uint64_t script_print_deviation(const struct lang_deviation *deviation)
{
	unsigned __int128 squares = (unsigned __int128)deviation->squares_high << 64 | deviation->squares_low;
	__int128 total = (int64_t)deviation->total;
	unsigned __int128 variance, root = 0;

	if (!deviation->count)
		return 0;
	variance = (squares - (unsigned __int128)(total * total) / deviation->count) / deviation->count;
	for (unsigned __int128 bit = (unsigned __int128)1 << 63; bit; bit >>= 1)
		if ((root | bit) * (root | bit) <= variance)
			root |= bit;
	return root;
}

int64_t script_print_number(const struct type *type, const void *value)
{
	switch (type->kind) {
	case TYPE_COUNT:
	case TYPE_SUM:
	case TYPE_MIN:
	case TYPE_MAX:
		return *(const int64_t *)value;
	case TYPE_AVG:
	case TYPE_STATS:
	case TYPE_STDDEV:
		return average(type, value);
	case TYPE_HIST:
	case TYPE_LHIST:
	case TYPE_QUANTILES:
		return script_print_total(type, value);
	default: {
		struct script_value number = script_value_of(type, value);

		return type_is_integral(type) ? script_value_number(&number) : 0;
	}
	}
}

static void add_number(struct str *to, int64_t number, bool is_signed)
{
	if (is_signed)
		str_add_s64(to, number);
	else
		str_add_u64(to, number);
}

static void add_stats(struct str *to, const struct type *type, const struct lang_average *value, uint64_t div)
{
	str_addf(to, "{ .count = %llu, .average = ", (unsigned long long)value->count);
	add_number(to, divided(average(type, value), div, type->is_signed), type->is_signed);
	str_add(to, ", .total = ");
	add_number(to, value->total, type->is_signed);
	str_add(to, " }");
}

static void add_deviation(struct str *to, const struct type *type, const struct lang_deviation *value, uint64_t div)
{
	const struct lang_average sums = { value->total, value->count };

	str_addf(to, "{ .count = %llu, .average = ", (unsigned long long)value->count);
	add_number(to, divided(average(type, &sums), div, type->is_signed), type->is_signed);
	str_addf(to, ", .stddev = %llu }", (unsigned long long)divided(script_print_deviation(value), div, false));
}

void script_print_value(struct str *to, struct script_names *names, const struct type *type, const void *data,
			uint64_t div)
{
	struct script_value value = script_value_of(type, data);

	switch (type->kind) {
	case TYPE_COUNT:
	case TYPE_SUM:
	case TYPE_MIN:
	case TYPE_MAX:
	case TYPE_AVG:
		add_number(to, divided(script_print_number(type, data), div, type->is_signed), type->is_signed);
		break;
	case TYPE_STATS:
		add_stats(to, type, data, div);
		break;
	case TYPE_STDDEV:
		add_deviation(to, type, data, div);
		break;
	case TYPE_HIST:
	case TYPE_LHIST:
	case TYPE_TSERIES:
	case TYPE_QUANTILES:
		script_chart_add(to, type, data, div);
		break;
	case TYPE_INTEGER:
		if (div) {
			add_number(to, divided(script_value_number(&value), div, type->is_signed), type->is_signed);
			break;
		}
		/* fall through */
	default:
		script_value_add(to, names, &value, false);
	}
}

/* --- the order of entries --- */

static int compare_numbers(const struct type *type, int64_t a, int64_t b)
{
	if (a == b)
		return 0;
	return (type->is_signed ? a < b : (uint64_t)a < (uint64_t)b) ? -1 : 1;
}

static int compare_data(const struct type *type, const char *a, const char *b)
{
	int order = 0;

	if (type_is_scalar(type)) {
		struct script_value x = script_value_of(type, a), y = script_value_of(type, b);

		return compare_numbers(type, script_value_number(&x), script_value_number(&y));
	}
	if (type->kind == TYPE_TUPLE || type->kind == TYPE_RECORD) {
		for (uint32_t i = 0; !order && i < type->n_fields; i++)
			order = compare_data(type->fields[i].type, a + type->fields[i].at, b + type->fields[i].at);
		return order;
	}
	return memcmp(a, b, type->size);
}

/* Whether the values have an order of their own, which is that of the entries. */
static bool is_by_value(const struct type *type)
{
	return type->kind == TYPE_INTEGER || type->kind == TYPE_BOOL || type->kind == TYPE_ENUM ||
	       (type_is_aggregate(type) && type->kind != TYPE_TSERIES);
}

static int compare(const void *pa, const void *pb, void *ctx)
{
	const struct script_entry *a = pa, *b = pb;
	const struct lang_map *map = ctx;
	int order = 0;

	if (is_by_value(map->value))
		order = compare_numbers(map->value, script_print_number(map->value, a->value),
					script_print_number(map->value, b->value));
	return order || !map->key ? order : compare_data(map->key, a->key, b->key);
}

void script_print_sort(struct script_entries *entries)
{
	if (entries->n)
		qsort_r(entries->v, entries->n, sizeof(*entries->v), compare, (void *)entries->map);
}

size_t script_print_first(const struct script_entries *entries, const struct script_choice *choice)
{
	if (!choice->top || choice->top >= entries->n)
		return 0;
	return entries->n - choice->top;
}

/* --- maps --- */

static void add_entry(struct str *to, struct script_names *names, const struct script_entries *entries,
		      const struct script_entry *entry, uint64_t div)
{
	const struct lang_map *map = entries->map;
	bool is_chart = script_print_is_hist(map->value);

	str_add(to, map->name);
	if (map->key) {
		struct script_value key = script_value_of(map->key, entry->key);

		str_addc(to, '[');
		script_value_add(to, names, &key, true);
		str_addc(to, ']');
	}
	str_add(to, is_chart ? ":\n" : ": ");
	script_print_value(to, names, map->value, entry->value, div);
	str_addc(to, '\n');
}

void script_print_map(struct str *to, struct script_names *names, struct script_entries *entries,
		      const struct script_choice *choice)
{
	script_print_sort(entries);
	for (size_t i = script_print_first(entries, choice); i < entries->n; i++)
		add_entry(to, names, entries, &entries->v[i], choice->div);
}
