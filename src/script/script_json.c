// SPDX-License-Identifier: BSD-2-Clause
/* What a program prints as JSON. */
#include "base/clock.h"
#include "output/clock.h"
#include "script_json.h"

static void begin(struct str *to, enum script_form form, const char *type)
{
	if (form == SCRIPT_ROWS) {
		str_add(to, "{\"time\":\"");
		clock_add_stamp(to, clock_wall_ns());
		str_addf(to, "\",\"%s\":", type);
	} else {
		str_addf(to, "{\"type\": \"%s\", \"data\": ", type);
	}
}

static void end(struct str *to)
{
	str_add(to, "}\n");
}

void script_json_text(struct str *to, enum script_form form, const char *type, const char *text, size_t n)
{
	begin(to, form, type);
	str_add_json(to, text, n);
	end(to);
}

void script_json_value(struct str *to, struct script_names *names, enum script_form form,
		       const struct script_value *value)
{
	begin(to, form, "value");
	script_value_add_json(to, names, value);
	end(to);
}

void script_json_message(struct str *to, const struct lang_sources *sources, const struct span *at, const char *type,
			 const char *text)
{
	uint32_t line, column;

	span_line(sources, at, &line, &column);
	str_addf(to, "{\"type\": \"%s\", \"msg\": ", type);
	str_add_json(to, text, strlen(text));
	str_add(to, ", \"filename\": ");
	str_add_json(to, sources->v[at->source].name, strlen(sources->v[at->source].name));
	str_addf(to, ", \"line\": %u, \"col\": %u}\n", line, column);
}

void script_json_attached(struct str *to, enum script_form form, size_t n)
{
	if (form == SCRIPT_JSON)
		str_addf(to, "{\"type\": \"attached_probes\", \"count\": %zu, \"data\": {\"probes\": %zu}}\n", n, n);
}

/* --- values of maps --- */

static void add_number(struct str *to, const struct type *type, int64_t number)
{
	script_value_add_json_number(to, number, type->is_signed);
}

static void add_bound(struct str *to, const char *name, int64_t bound)
{
	str_addf(to, "\"%s\": ", name);
	script_value_add_json_number(to, bound, true);
	str_add(to, ", ");
}

static void add_hist(struct str *to, const struct type *type, const uint64_t *buckets)
{
	const struct hist hist = script_print_buckets(type);
	struct hist_used used = hist_used(buckets, hist.n);

	str_addc(to, '[');
	for (size_t i = used.first; i < used.end; i++) {
		str_add(to, i > used.first ? ",{" : "{");
		if (i)
			add_bound(to, "min", hist_low(&hist, i));
		if (hist.kind == HIST_POWERS || i + 1 < hist.n)
			add_bound(to, "max", hist_high(&hist, i));
		str_addf(to, "\"count\": %llu}", (unsigned long long)buckets[i]);
	}
	str_addc(to, ']');
}

static void add_moment(struct str *to, uint64_t wall_ns, int64_t value, bool is_first)
{
	str_add(to, is_first ? "{\"interval_start\":\"" : ",{\"interval_start\":\"");
	script_chart_add_time(to, "%Y-%m-%d %H:%M:%S", wall_ns);
	str_add(to, "\",\"value\":");
	script_value_add_json_number(to, value, true);
	str_addc(to, '}');
}

static void add_series(struct str *to, const struct type *type, const struct lang_moment *from)
{
	__free struct lang_moment *v = base_alloc(type->hist.buckets * sizeof(*v));
	size_t n = script_print_moments(type, from, v);

	str_addc(to, '[');
	for (size_t i = 0; i < n; i++)
		add_moment(to, v[i].number * type->hist.interval, script_print_moment(type, &v[i]), !i);
	str_addc(to, ']');
}

/* Whatever else text shows as words. */
static void add_words(struct str *to, struct script_names *names, const struct type *type, const void *value)
{
	__str struct str text = {};

	script_print_value(&text, names, type, value, 0);
	str_add_json(to, str_or_empty(text.data), text.len);
}

static void add_stats(struct str *to, const struct type *type, const struct lang_average *value)
{
	str_addf(to, "{\"count\": %llu, \"average\": ", (unsigned long long)value->count);
	add_number(to, type, script_print_number(type, value));
	str_add(to, ", \"total\": ");
	add_number(to, type, value->total);
	str_addc(to, '}');
}

static void add_deviation(struct str *to, const struct type *type, const struct lang_deviation *value)
{
	str_addf(to, "{\"count\": %llu, \"average\": ", (unsigned long long)value->count);
	add_number(to, type, script_print_number(type, value));
	str_addf(to, ", \"stddev\": %llu}", (unsigned long long)script_print_deviation(value));
}

static void add_value(struct str *to, struct script_names *names, const struct type *type, const void *data)
{
	struct script_value value = script_value_of(type, data);

	switch (type->kind) {
	case TYPE_COUNT:
	case TYPE_SUM:
	case TYPE_MIN:
	case TYPE_MAX:
	case TYPE_AVG:
		add_number(to, type, script_print_number(type, data));
		break;
	case TYPE_STATS:
		add_stats(to, type, data);
		break;
	case TYPE_STDDEV:
		add_deviation(to, type, data);
		break;
	case TYPE_HIST:
	case TYPE_LHIST:
		add_hist(to, type, data);
		break;
	case TYPE_TSERIES:
		add_series(to, type, data);
		break;
	case TYPE_QUANTILES:
		add_words(to, names, type, data);
		break;
	default:
		script_value_add_json(to, names, &value);
	}
}

void script_json_map_value(struct str *to, struct script_names *names, enum script_form form, const struct type *type,
			   const void *value)
{
	begin(to, form, "value");
	add_value(to, names, type, value);
	end(to);
}

/* --- maps --- */

static const char *type_of(const struct type *type)
{
	if (type->kind == TYPE_TSERIES)
		return "tseries";
	if (script_print_is_hist(type))
		return "hist";
	return script_print_is_stats(type) ? "stats" : "map";
}

/* A key as the name of a member: as in text, but for the blanks between its parts. */
static void add_key(struct str *to, struct script_names *names, const struct type *type, const void *data)
{
	struct script_value key = script_value_of(type, data);
	__str struct str text = {};

	script_value_add_key(&text, names, &key);
	str_add_json(to, str_or_empty(text.data), text.len);
}

static void add_object(struct str *to, struct script_names *names, struct script_entries *entries,
		       const struct script_choice *choice)
{
	const struct lang_map *map = entries->map;
	size_t first = script_print_first(entries, choice);

	begin(to, SCRIPT_JSON, type_of(map->value));
	str_addf(to, "{\"%s\": ", map->name);
	str_add(to, map->key ? "{" : "");
	for (size_t i = first; i < entries->n; i++) {
		str_add(to, i > first ? ", " : "");
		if (map->key) {
			add_key(to, names, map->key, entries->v[i].key);
			str_add(to, ": ");
		}
		add_value(to, names, map->value, entries->v[i].value);
	}
	str_add(to, map->key ? "}}" : "}");
	end(to);
}

static void add_row(struct str *to, struct script_names *names, const struct lang_map *map,
		    const struct script_entry *entry)
{
	begin(to, SCRIPT_ROWS, "map");
	str_addf(to, "\"%s\"", map->name);
	if (map->key) {
		struct script_value key = script_value_of(map->key, entry->key);

		str_add(to, ",\"key\":");
		script_value_add_json(to, names, &key);
	}
	str_add(to, ",\"value\":");
	add_value(to, names, map->value, entry->value);
	end(to);
}

void script_json_map(struct str *to, struct script_names *names, enum script_form form, struct script_entries *entries,
		     const struct script_choice *choice)
{
	script_print_sort(entries);
	if (!entries->n)
		return;
	if (form == SCRIPT_JSON) {
		add_object(to, names, entries, choice);
		return;
	}
	for (size_t i = script_print_first(entries, choice); i < entries->n; i++)
		add_row(to, names, entries->map, &entries->v[i]);
}
