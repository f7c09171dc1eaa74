// SPDX-License-Identifier: BSD-2-Clause
/*
 * A program's maps for exporters: one table each. Aggregates, and integers that the program sets and steps but does not
 * compute with: what it does compute with are notes of its own, such as the start times by thread. A part of the key is
 * a label.
 */
#include "base/clock.h"
#include "base/report.h"
#include "output/hist.h"
#include "script_part.h"

#define LABELS_MAX 16
/* Lines that a program may print in a second. */
#define LINES_MAX 10
/* Bytes of a line. A program may print for weeks without a newline: the rest becomes the next line. */
#define LINE_BYTES_MAX 1024

/* A row of every table: its labels, and a number or a histogram. */
struct row {
	struct hist_row hist;
	uint64_t number;
	const char *labels[LABELS_MAX];
};

/* A number that only grows, read from a map in which entries may be deleted. */
struct grown {
	uint64_t sum, last;
};

struct table {
	const struct lang_map *map;
	struct grown hits, others;
	struct schema schema;
	struct field fields[LABELS_MAX + 1];
	struct hist hist;
};

struct script_export {
	struct engine_table *tables; /* n of both */
	struct table *maps;
	size_t n;
	struct pool pool;
	struct str line;
	uint64_t second; /* of the clock, in which `lines` were printed */
	size_t lines;
	uint64_t dropped; /* lines */
};

/* --- what can be exported --- */

/* Keys that take ever new values, by the names that builtins, fields and variables have. */
static const char *const endless[] = {
	"pid",
	"tid",
	"tgid",
	"ppid",
	"cpid",
	"nsecs",
	"elapsed",
	"rand",
	"port",
	"sport",
	"dport",
	"lport",
	"rport",
	"saddr",
	"daddr",
	"laddr",
	"raddr",
	"addr",
	"skaddr",
	"ino",
	"sector",
};

static const char *endless_type(const struct type *type)
{
	switch (type->kind) {
	case TYPE_KSTACK:
	case TYPE_USTACK:
		return "stack";
	case TYPE_POINTER:
	case TYPE_USYM:
	case TYPE_INET:
	case TYPE_MAC:
		return "address";
	case TYPE_TIME:
		return "time";
	case TYPE_BUFFER:
	case TYPE_STRUCT:
	case TYPE_RECORD:
	case TYPE_ARRAY:
		return "bytes in memory";
	default:
		return NULL;
	}
}

static size_t parts_of(const struct lang_map *map)
{
	return !map->key ? 0 : map->key->kind == TYPE_TUPLE ? map->key->n_fields
							    : 1;
}

static const struct type *part_type(const struct lang_map *map, size_t i)
{
	return map->key->kind == TYPE_TUPLE ? map->key->fields[i].type : map->key;
}

/* What the user calls the part; NULL: nothing. */
static const char *part_name(const struct lang_map *map, size_t i)
{
	return map->n_labels == parts_of(map) ? map->labels[i] : NULL;
}

static const char *endless_part(const struct lang_map *map)
{
	for (size_t i = 0; i < parts_of(map); i++) {
		const char *name = part_name(map, i), *type = endless_type(part_type(map, i));

		if (type)
			return type;
		for (size_t j = 0; name && j < ARRAY_SIZE(endless); j++)
			if (!strcmp(name, endless[j]))
				return name;
	}
	return NULL;
}

/* Why a map is no table; NULL: it is one. */
static const char *why_not(const struct lang_map *map)
{
	const struct type *type = map->value;

	if (type->kind == TYPE_NONE || !map->is_written)
		return "nothing is assigned to it";
	if (type->kind == TYPE_TSERIES)
		return "a series over time is what the reader of an exporter makes itself";
	if (parts_of(map) > LABELS_MAX)
		return "its key has too many parts";
	if (type_is_aggregate(type))
		return NULL;
	if (!type_is_integral(type))
		return "its values are not numbers";
	return map->is_used ? "the program computes with it" : NULL;
}

static int check_map(struct script *script, const struct lang_map *map, struct err *err)
{
	const char *part = endless_part(map);
	__free char *what = part ? base_printf("%s (%s)", part, map->name) : NULL;

	return what ? engine_check_key(script->instance, what, err) : 0;
}

/* --- tables --- */

static bool is_taken(const struct table *table, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(table->fields[i].key, name))
			return true;
	/* what formats and other labels mean */
	return !strcmp(name, "le") || !strcmp(name, "quantile") || !strcmp(name, "other");
}

static const char *label_of(struct script *script, const struct table *table, size_t i)
{
	const char *name = part_name(table->map, i);
	struct script_export *export = script->export;

	if (!name)
		name = parts_of(table->map) > 1 ? pool_addf(&export->pool, "key%zu", i) : "key";
	while (is_taken(table, i, name))
		name = pool_addf(&export->pool, "%s_key", name);
	return name;
}

static void use_hist(struct table *table, struct field *field)
{
	const struct type *type = table->map->value;
	struct hist *hist = &table->hist;

	*hist = (struct hist){ .kind = HIST_SINGLE, .step = 1, .divisor = 1, .unit = "", .is_signed = true };
	*field = (struct field)METRIC_GET(FIELD_S64, hist_get, "histogram", ROLE_SUMMARY, GET_OF(struct row, hist));
	if (script_print_is_stats(type) && type->kind != TYPE_QUANTILES)
		return;
	field->role = ROLE_HISTOGRAM;
	*hist = script_print_buckets(type);
}

static void use_number(struct table *table, struct field *field)
{
	const struct type *type = table->map->value;
	bool only_grows = type->kind == TYPE_COUNT || (type->kind == TYPE_SUM && !type->is_signed);

	*field = (struct field)METRIC(FIELD_U64, struct row, number, "count", only_grows ? ROLE_COUNTER : ROLE_VALUE);
	if (script_value_is_signed(type))
		field->type = FIELD_S64;
}

static bool is_hist(const struct type *type)
{
	return script_print_is_hist(type) || script_print_is_stats(type);
}

static void make_table(struct script *script, const struct lang_map *map)
{
	struct script_export *export = script->export;
	struct table *table = &export->maps[export->n];
	size_t n = parts_of(map);

	table->map = map;
	for (size_t i = 0; i < n; i++)
		table->fields[i] = (struct field){
			.type = FIELD_STR,
			.offset = offsetof(struct row, labels) + i * sizeof(char *),
			.size = sizeof(char *),
			.role = ROLE_LABEL,
			.key = label_of(script, table, i),
		};
	if (is_hist(map->value))
		use_hist(table, &table->fields[n]);
	else
		use_number(table, &table->fields[n]);
	table->schema = (struct schema){ .fields = table->fields, .n = n + 1 };
	export->tables[export->n++] = (struct engine_table){ map->name + 1, &table->schema };
}

int script_export_open(struct script *script, struct err *err)
{
	const struct lang_program *program = script->program;
	struct script_export *export = base_alloc(sizeof(*export));

	script->export = export;
	export->tables = base_alloc((program->maps.n + 1) * sizeof(*export->tables));
	export->maps = base_alloc((program->maps.n + 1) * sizeof(*export->maps));
	for (size_t i = 0; i < program->maps.n; i++) {
		const struct lang_map *map = program->maps.v[i];
		const char *why = why_not(map);

		if (why)
			report_verbose("%s is not exported: %s", map->name, why);
		else if (check_map(script, map, err))
			return script->instance->ctx->usage = true, err->code;
		else
			make_table(script, map);
	}
	if (export->n)
		return 0;
	script->instance->ctx->usage = true;
	return err_set(err, -EINVAL,
		       "it has no totals to export: count(), sum(), hist() and the like in a map make some");
}

void script_export_release(struct script *script)
{
	struct script_export *export = script->export;

	if (!export)
		return;
	pool_release(&export->pool);
	str_release(&export->line);
	free(export->tables);
	free(export->maps);
	free(export);
}

bool script_exports(const struct script *script, const struct lang_map *map)
{
	for (size_t i = 0; script->export && i < script->export->n; i++)
		if (script->export->maps[i].map == map)
			return true;
	return false;
}

size_t script_tables(const struct engine_instance *instance, const struct engine_table **tables)
{
	const struct script *script = instance->state;

	*tables = script->export ? script->export->tables : NULL;
	return script->export ? script->export->n : 0;
}

/* --- rows --- */

/* The texts are in the pool. */
static void set_labels(struct script *script, const struct lang_map *map, const void *key, struct row *row,
		       struct pool *pool)
{
	for (size_t i = 0; i < parts_of(map); i++) {
		size_t at = map->key->kind == TYPE_TUPLE ? map->key->fields[i].at : 0;
		struct script_value value = script_value_of(part_type(map, i), (const char *)key + at);
		__str struct str text = {};

		script_value_add(&text, &script->names, &value, true);
		row->labels[i] = pool_add(pool, str_or_empty(text.data));
	}
}

/* cells: room for those of the table's histogram. */
static void set_cells(const struct table *table, const uint64_t *value, uint64_t *cells)
{
	const struct type *type = table->map->value;

	cells[HIST_MAX] = 0;
	if (table->hist.kind == HIST_SINGLE) {
		const struct lang_average *average = (const void *)value;

		cells[HIST_SUM] = average->total;
		cells[HIST_BUCKETS] = average->count;
		return;
	}
	cells[HIST_SUM] = value[type->hist.buckets];
	memcpy(cells + HIST_BUCKETS, value, type->hist.buckets * sizeof(*cells));
}

/* How many values an entry has; 0: it does not know. */
static uint64_t values_of(const struct type *type, const void *value)
{
	switch (type->kind) {
	case TYPE_COUNT:
		return *(const uint64_t *)value;
	case TYPE_AVG:
	case TYPE_STATS:
	case TYPE_STDDEV:
		return ((const struct lang_average *)value)->count;
	case TYPE_HIST:
	case TYPE_LHIST:
	case TYPE_QUANTILES:
		return script_print_total(type, value);
	default:
		return 0;
	}
}

/* An aggregate without a key, such as a count, is there from the start; a key only once something was added. */
static bool is_shown(const struct lang_map *map, const struct script_entry *entry, bool is_others)
{
	bool has_zero = map->value->kind != TYPE_MIN && map->value->kind != TYPE_MAX;

	if (!type_is_aggregate(map->value))
		return true;
	return (!map->key && has_zero && !is_others) || !script_map_is_empty(map->value, entry->value);
}

static int hand_on(struct script *script, const struct table *table, engine_row_fn fn, void *ctx)
{
	__cleanup(script_entries_release) struct script_entries entries = {};
	const struct lang_map *map = table->map;
	__free uint64_t *cells = base_alloc(hist_words(&table->hist) * sizeof(*cells));
	size_t others;
	int ret = script_map_read_totals(&script->loaded.maps[map->number], &entries, &others);

	for (size_t i = 0; i < entries.n; i++) {
		struct row row = { .hist = { .hist = &table->hist, .cells = cells } };

		if (!is_shown(map, &entries.v[i], i == others))
			continue;
		if (is_hist(map->value))
			set_cells(table, entries.v[i].value, cells);
		else
			row.number = script_print_number(map->value, entries.v[i].value);
		if (i != others)
			set_labels(script, map, entries.v[i].key, &row, &entries.pool);
		script->instance->other = i == others;
		fn(&row, ctx);
	}
	script->instance->other = false;
	return ret;
}

int script_snapshot(struct engine_instance *instance, engine_row_fn fn, void *ctx)
{
	struct script *script = instance->state;
	const struct schema *before = instance->schema;
	int ret = 0;

	for (size_t i = 0; script->export && !ret && i < script->export->n; i++) {
		instance->table = i;
		instance->schema = script->export->tables[i].schema;
		ret = hand_on(script, &script->export->maps[i], fn, ctx);
	}
	instance->schema = before;
	return ret;
}

static void grow(struct grown *grown, uint64_t now)
{
	if (now > grown->last)
		grown->sum += now - grown->last;
	grown->last = now;
}

/* Values that the program deletes between two calls before they were read are not counted: the numbers are rough. */
static void count_values(struct script *script, struct table *table)
{
	__cleanup(script_entries_release) struct script_entries entries = {};
	const struct lang_map *map = table->map;
	uint64_t all = 0, other = 0;
	size_t others;

	if (script_map_read_totals(&script->loaded.maps[map->number], &entries, &others))
		return;
	for (size_t i = 0; i < entries.n; i++) {
		uint64_t n = values_of(map->value, entries.v[i].value);

		all += n;
		other += i == others ? n : 0;
	}
	grow(&table->hits, all);
	grow(&table->others, other);
}

void script_export_stats(struct script *script, struct engine_stats *stats)
{
	struct script_export *export = script->export;

	for (size_t i = 0; i < export->n; i++) {
		struct table *table = &export->maps[i];

		count_values(script, table);
		stats->hits += table->hits.sum;
		stats->other += table->others.sum;
	}
	engine_stats_add(stats, "lines_dropped", export->dropped);
}

/* --- what the program prints --- */

static void print_line(struct script_export *export)
{
	uint64_t second = clock_monotonic_ns() / NS_PER_SEC;

	if (second != export->second)
		export->lines = 0;
	export->second = second;
	if (export->lines++ < LINES_MAX)
		report_note("%s", export->line.data);
	else
		export->dropped++;
}

void script_export_text(struct script *script, const char *text, size_t n)
{
	struct script_export *export = script->export;

	for (size_t i = 0; i < n; i++) {
		bool ends = text[i] == '\n';

		if (!ends)
			str_addc(&export->line, text[i]);
		if (!ends && export->line.len < LINE_BYTES_MAX)
			continue;
		if (export->line.len)
			print_line(export);
		str_reset(&export->line);
	}
}
