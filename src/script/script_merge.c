// SPDX-License-Identifier: BSD-2-Clause
/* What the values that two processors have of one key are together. */
#include "script_map.h"

bool script_map_is_additive(const struct type *type)
{
	switch (type->kind) {
	case TYPE_COUNT:
	case TYPE_SUM:
	case TYPE_AVG:
	case TYPE_STATS:
	case TYPE_HIST:
	case TYPE_LHIST:
	case TYPE_QUANTILES:
		return true;
	default:
		return false;
	}
}

void script_map_add_words(uint64_t *to, const uint64_t *from, size_t size, bool subtract)
{
	for (size_t i = 0; i < size / sizeof(*to); i++)
		to[i] += subtract ? -from[i] : from[i];
}

static void merge_deviation(struct lang_deviation *to, const struct lang_deviation *from)
{
	to->total += from->total;
	to->count += from->count;
	to->squares_low += from->squares_low;
	to->squares_high += from->squares_high + (to->squares_low < from->squares_low);
}

static bool is_better(const struct type *type, enum type_kind kind, uint64_t a, uint64_t b)
{
	bool less = type->is_signed ? (int64_t)a < (int64_t)b : a < b;

	return a != b && (kind == TYPE_MIN) == less;
}

static void merge_extreme(const struct type *type, struct lang_extreme *to, const struct lang_extreme *from)
{
	if (from->is_set == LANG_EXTREME_SET && (!to->is_set || is_better(type, type->kind, from->value, to->value)))
		*to = *from;
}

/* A moment that is later takes the place in the ring. Of one moment, of which there are several, count is how many. */
static void merge_moment(const struct type *type, struct lang_moment *to, const struct lang_moment *from)
{
	if (!from->count || from->number == LANG_MOMENT_BUSY || (to->count && to->number > from->number))
		return;
	if (!to->count || from->number > to->number) {
		*to = *from;
		return;
	}
	switch (type->hist.of) {
	case TYPE_MIN:
	case TYPE_MAX:
		if (is_better(type, type->hist.of, from->value, to->value))
			to->value = from->value;
		break;
	case TYPE_SUM:
	case TYPE_AVG:
		to->value += from->value;
		break;
	default: /* the last value: count is its time */
		if (from->count > to->count)
			*to = *from;
		return;
	}
	to->count += from->count;
}

void script_map_merge(const struct type *type, void *to, const void *from)
{
	if (script_map_is_additive(type))
		script_map_add_words(to, from, type->size, false);
	else if (type->kind == TYPE_STDDEV)
		merge_deviation(to, from);
	else if (type->kind == TYPE_MIN || type->kind == TYPE_MAX)
		merge_extreme(type, to, from);
	else if (type->kind == TYPE_TSERIES)
		for (uint32_t i = 0; i < type->hist.buckets; i++)
			merge_moment(type, (struct lang_moment *)to + i, (const struct lang_moment *)from + i);
	else
		memcpy(to, from, type->size);
}

bool script_map_is_empty(const struct type *type, const void *value)
{
	const uint64_t *words = value;

	switch (type->kind) {
	case TYPE_MIN:
	case TYPE_MAX:
		return ((const struct lang_extreme *)value)->is_set != LANG_EXTREME_SET;
	case TYPE_AVG:
	case TYPE_STATS:
	case TYPE_STDDEV:
		return !((const struct lang_average *)value)->count;
	case TYPE_TSERIES:
		for (uint32_t i = 0; i < type->hist.buckets; i++)
			if (((const struct lang_moment *)value)[i].count)
				return false;
		return true;
	default:
		for (size_t i = 0; i < type->size / sizeof(*words); i++)
			if (words[i])
				return false;
		return true;
	}
}
