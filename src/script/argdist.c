// SPDX-License-Identifier: BSD-2-Clause
/* argdist: specs in bcc's notation become a program, and the maps of that program tables. */
#include "argdist.h"
#include "base/clock.h"
#include "base/report.h"
#include "lang/bcc/bcc.h"
#include "output/hist.h"
#include "script_part.h"

#define DEFAULT_INTERVAL NS_PER_SEC
/* As in bcc. Each of 10,240 keys has room for it. */
#define DEFAULT_STRING 80

/* A row in JSON: a value with its count, or a histogram. */
struct row {
	struct hist_row hist; /* must be first, for the getters of histograms */
	const char *label;
	const char *event; /* "size = 16, flags = 1" */
	uint64_t count;
};

struct argdist {
	struct bcc_request request;
	uint32_t tables; /* that were printed */
};

static const struct field fields[] = {
	DATA(FIELD_STR, struct row, label, "spec", .role = ROLE_LABEL),
	DATA(FIELD_STR, struct row, event, "event", .role = ROLE_LABEL),
	DATA(FIELD_U64, struct row, count, "count", .role = ROLE_COUNTER),
};
const struct schema argdist_schema = { fields, ARRAY_SIZE(fields) };

static const struct field hist_fields[] = {
	DATA(FIELD_STR, struct row, label, "spec", .role = ROLE_LABEL),
	DATA_GET(FIELD_STR, hist_get_unit, "value"),
	DATA_GET(FIELD_U64, hist_get_count, "count", .role = ROLE_COUNTER),
	DATA_GET(FIELD_LIST, hist_get_buckets, "buckets"),
};
static const struct schema hist_schema = { hist_fields, ARRAY_SIZE(hist_fields) };

static const struct opt options[] = {
	OPT(OPT_LIST, struct argdist_settings, hists, 'H', "histogram", "SPEC",
	    "a histogram of a value; may be repeated"),
	OPT(OPT_LIST, struct argdist_settings, counts, 'C', "count", "SPEC",
	    "how often each value occurs; may be repeated"),
	OPT(OPT_U32, struct argdist_settings, top, 'T', "top", "N", "only the N values that occur most", .min = 1),
	OPT(OPT_BOOL, struct argdist_settings, cumulative, 'c', "cumulative", NULL,
	    "totals, not what is new in each table"),
	OPT(OPT_U32, struct argdist_settings, tables, 'n', "number", "N", "end after N tables", .min = 1),
	OPT(OPT_U32, struct argdist_settings, string_size, 'z', "string-size", "N",
	    "at most N bytes of a string: 80", .min = 1, .max = 4096),
	OPT(OPT_LIST, struct argdist_settings, script.include_dirs, 'I', "include", "HEADER",
	    "accepted: types come from the kernel itself"),
	OPT(OPT_BOOL, struct argdist_settings, script.fail_on_loss, 0, "fail-on-loss", NULL,
	    "exit with 1 if an event was lost"),
};

/* --- the program --- */

static struct lang_program *compile(struct script *script, struct lang_options *lang, struct err *err)
{
	const struct argdist_settings *settings = script->instance->settings;
	struct argdist *argdist = base_alloc(sizeof(*argdist));
	struct bcc_request *request = &argdist->request;
	struct lang_program *program;

	script->front_state = argdist;
	request->string_size = settings->string_size ? settings->string_size : DEFAULT_STRING;
	request->n = settings->counts.n + settings->hists.n;
	request->probes = base_alloc(request->n * sizeof(*request->probes));
	for (size_t i = 0; i < request->n; i++) {
		bool is_hist = i >= settings->counts.n;

		request->probes[i] = (struct bcc_probe){
			.text = is_hist ? settings->hists.v[i - settings->counts.n] : settings->counts.v[i],
			.is_hist = is_hist,
		};
	}
	/* each interval begins with empty maps */
	lang->clears = !settings->cumulative;
	program = bcc_compile(request, lang);
	if (request->program)
		report_verbose_lines("program", request->program);
	return program;
}

static void release(struct script *script)
{
	struct argdist *argdist = script->front_state;

	if (argdist)
		free(argdist->request.probes);
	free(argdist);
}

static const struct script_front front = {
	.makes_room = BCC_MAKES_ROOM,
	.compile = compile,
	.release = release,
};

static int open_argdist(struct engine_instance *instance, struct err *err)
{
	const struct argdist_settings *settings = instance->settings;
	struct engine_context *ctx = instance->ctx;
	int ret;

	ctx->usage = true;
	if (instance->args.n)
		return err_set(err, -EINVAL, "unexpected argument '%s': each spec needs a -H or -C",
			       instance->args.v[0]);
	if (!settings->counts.n && !settings->hists.n)
		return err_set(err, -EINVAL,
			       "name what to trace, as in -C 'r::vfs_read():int:$retval' (-H: a histogram)");
	ctx->usage = false;
	if (!ctx->interval && !ctx->metrics)
		ctx->interval = DEFAULT_INTERVAL;
	ret = script_open(instance, &front, err);
	if (!ret && !settings->cumulative) {
		struct script *script = instance->state;

		for (size_t i = 0; i < script->program->maps.n; i++)
			script->loaded.maps[i].keeps_shown = true;
	}
	return ret;
}

/* --- tables --- */

/* Text is put together in script->text; data are rows. */
struct table {
	struct script *script;
	const struct bcc_probe *probe;
	struct output_stamp stamp;
	bool is_text;
};

static void add_part(struct str *to, struct script_names *names, const char *name, const struct type *type,
		     const void *data, bool is_first)
{
	struct script_value value = script_value_of(type, data);

	str_addf(to, "%s%s = ", is_first ? "" : ", ", name);
	script_value_add(to, names, &value, false);
}

/* "size = 16, flags = 1" */
static void add_event(struct str *to, struct script *script, const struct bcc_probe *probe, const struct type *key,
		      const void *data)
{
	if (!key)
		str_add(to, "total calls");
	else if (probe->n_values == 1)
		add_part(to, &script->names, probe->values[0], key, data, true);
	for (size_t i = 0; key && probe->n_values > 1 && i < probe->n_values && i < key->n_fields; i++)
		add_part(to, &script->names, probe->values[i], key->fields[i].type,
			 (const char *)data + key->fields[i].at, !i);
}

static int by_count(const void *pa, const void *pb)
{
	const struct script_entry *a = pa, *b = pb;
	uint64_t x, y;

	memcpy(&x, a->value, sizeof(x));
	memcpy(&y, b->value, sizeof(y));
	return x < y ? -1 : x > y;
}

static void print_counts(const struct table *table, struct script_entries *entries)
{
	struct script *script = table->script;
	const struct argdist_settings *settings = script->instance->settings;
	size_t first = settings->top && settings->top < entries->n ? entries->n - settings->top : 0;

	qsort(entries->v, entries->n, sizeof(*entries->v), by_count);
	if (table->is_text)
		str_addf(&script->text, "%s\n\tCOUNT      EVENT\n", table->probe->label);
	for (size_t i = first; i < entries->n; i++) {
		struct row row = { .label = table->probe->label };
		__str struct str event = {};

		memcpy(&row.count, entries->v[i].value, sizeof(row.count));
		if (!row.count)
			continue;
		add_event(&event, script, table->probe, entries->map->key, entries->v[i].key);
		row.event = str_or_empty(event.data);
		if (table->is_text)
			str_addf(&script->text, "\t%-10llu %s\n", (unsigned long long)row.count, row.event);
		else
			output_row(script->instance->ctx->out, &row);
	}
}

/* The language has a bucket for what is below 0, which no value of ours is, and for 0; bcc counts 0 with 1. */
static void set_cells(const struct type *type, const uint64_t *buckets, uint64_t *cells)
{
	for (uint32_t i = 1; i < type->hist.buckets; i++) {
		size_t bucket = i < 3 ? 0 : i - 2;

		if (bucket < HIST_LOG2_BUCKETS)
			cells[HIST_BUCKETS + bucket] += buckets[i];
	}
}

static void print_hist(const struct table *table, const struct script_entries *entries)
{
	const struct hist hist = {
		.kind = HIST_LOG2,
		.divisor = 1,
		.unit = table->is_text ? table->probe->title : table->probe->values[0],
		.bare = true,
	};
	__free uint64_t *cells = base_alloc(hist_words(&hist) * sizeof(*cells));
	struct row row = {
		.hist = { .hist = &hist, .cells = cells, .first = true },
		.label = table->probe->label,
	};
	struct script *script = table->script;

	if (entries->n)
		set_cells(entries->map->value, entries->v[0].value, cells);
	if (!table->is_text) {
		output_row(script->instance->ctx->out, &row);
		return;
	}
	hist_draw(&script->text, &row);
}

static void print_spec(const struct table *table)
{
	struct script *script = table->script;
	const struct argdist_settings *settings = script->instance->settings;
	struct output *out = script->instance->ctx->out;
	__cleanup(script_entries_release) struct script_entries entries = {};
	struct script_map *map = NULL;
	uint64_t now = clock_boot_ns();

	for (size_t i = 0; i < script->program->maps.n; i++)
		if (!strcmp(script->program->maps.v[i]->name, table->probe->map))
			map = &script->loaded.maps[i];
	if (!map)
		return;
	script_map_read_shown(map, now, &entries);
	if (!table->is_text)
		output_table_begin(out, table->probe->is_hist ? &hist_schema : &argdist_schema, &table->stamp, true);
	if (table->probe->is_hist)
		print_hist(table, &entries);
	else
		print_counts(table, &entries);
	if (!table->is_text)
		output_table_end(out);
	if (!settings->cumulative)
		script_map_clear(map, now);
}

static void emit(struct engine_instance *instance, bool last)
{
	struct script *script = instance->state;
	const struct argdist_settings *settings = instance->settings;
	struct argdist *argdist = script->front_state;
	struct table table = {
		.script = script,
		.stamp = { .wall_ns = clock_wall_ns(), .since_ns = clock_monotonic_ns() - instance->ctx->began },
		.is_text = script->form == SCRIPT_TEXT,
	};

	if (settings->tables && argdist->tables == settings->tables)
		return;
	if (table.is_text)
		script_names_add_wall(&script->text, "[%H:%M:%S]\n", table.stamp.wall_ns);
	for (size_t i = 0; i < argdist->request.n; i++) {
		table.probe = &argdist->request.probes[i];
		print_spec(&table);
	}
	if (table.is_text)
		script_output_text(script);
	output_flush(instance->ctx->out);
	if (++argdist->tables == settings->tables && !last)
		instance->ctx->done = true;
}

const struct engine argdist_engine = {
	.options_title = "values",
	.options = options,
	.n_options = ARRAY_SIZE(options),
	.settings_size = sizeof(struct argdist_settings),
	.open = open_argdist,
	.armed = script_armed,
	.snapshot = script_snapshot,
	.tables = script_tables,
	.emit = emit,
	.take = script_take,
	.losses = script_losses,
	.stats = script_stats,
	.attachment = script_attachment,
	.close = script_close,
};
