// SPDX-License-Identifier: BSD-2-Clause
/*
 * The user side of the distribution engine: turns options into cells and keys, and these into charts and tables;
 * reports what was not counted.
 */
#include "attach/quirks.h"
#include "base/report.h"
#include "dist_part.h"
#include "engine/filter.h"
#include "engine/interval.h"
#include "engine/sampling.h"

#define KEYS_DEFAULT 1024
#define KEYS_PRECISE 256
#define KEYS_MAX     1000000
#define KEYS_MEMORY  (1ULL << 30)

struct settings {
	struct hists_settings hists;
	bool extension;
	uint32_t keys, pending;
};

static const struct opt options[] = {
	OPT(OPT_BOOL, struct settings, extension, 'e', "extension", NULL,
	    "print average, total and count below each histogram"),
	HISTS_KINDS(struct settings, hists),
	OPT(OPT_U32, struct settings, keys, 0, "max-keys", "N", "at most N rows by key: 1024, with --precise 256",
	    .min = 1,
	    .max = KEYS_MAX),
	PROGS_MAX_PENDING(struct settings, pending),
};

struct table {
	vec(struct dist_shown);
};

/* --- tables --- */

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int by_key(const void *pa, const void *pb)
{
	const struct dist_shown *a = pa, *b = pb;

	if (a->key && b->key)
		return strncmp(a->key->name, b->key->name, DIST_NAME_LEN);
	return compare(a->number, b->number);
}

/* As in bcc, the largest is last. */
static int by_value(const void *pa, const void *pb)
{
	const struct dist_shown *a = pa, *b = pb;
	int ret = compare(a->value, b->value);

	return ret ? ret : by_key(pa, pb);
}

static void add(struct table *table, struct dist_shown shown)
{
	if (shown.count)
		*vec_push(table) = shown;
}

static void collect(struct dist *dist, struct table *table)
{
	int ret;

	if (!dist->kind) {
		for (size_t i = 0; i < dist->hists.n; i++)
			add(table, dist_shown_number(dist, i, hists_take(&dist->hists, i)));
	} else {
		ret = keys_take(&dist->keys);
		if (ret)
			report_error("cannot read the histograms: %s", strerror(-ret));
		dist->instance->ctx->failed |= ret < 0;
		vec_each(row, &dist->keys)
			add(table, dist_shown_key(dist, &(*row)->key, (*row)->label, (*row)->between));
	}
	if (table->n)
		qsort(table->v, table->n, sizeof(*table->v), dist->charts ? by_key : by_value);
}

static void emit_row(const void *row, void *out)
{
	output_row(out, row);
}

static void dist_emit(struct engine_instance *instance, bool last)
{
	struct dist *dist = instance->state;
	struct table table = {};

	collect(dist, &table);
	engine_table_begin(instance);
	for (size_t i = 0; i < table.n; i++)
		dist_hand_on(dist, &table.v[i], !i, emit_row, instance->ctx->out);
	output_table_end(instance->ctx->out);
	free(table.v);
}

/* --- what was not counted --- */

static void dist_losses(struct engine_instance *instance)
{
	struct dist *dist = instance->state;
	uint64_t missed = progs_missed(&dist->progs, &dist->knows_missed);
	uint64_t no_row = dist_word(dist, DIST_NO_ROW);

	if (no_row)
		report_note("%llu value%s not counted: there are more than %u %ss (--max-keys makes room)",
			    (unsigned long long)no_row, str_plural(no_row), dist->keys.map.max, dist->by);
	progs_say_losses(&dist->progs, missed);
	if (missed)
		report_note("%llu hit%s missed by the kernel, so times are missing too: a BPF program was running on "
			    "that processor%s",
			    (unsigned long long)missed, str_plural(missed),
			    probes_why_missed_returns(dist->progs.attach));
	if (!dist->knows_missed)
		report_verbose("this kernel does not count the hits that it misses");
}

/* --- begin and end --- */

static int choose_kind(struct dist *dist, struct err *err)
{
	const struct dist_source *source = dist->source;

	for (size_t i = 0; i < source->n_kinds; i++) {
		const struct dist_kind *kind = &source->kinds[i];

		if (!setting_is(dist->instance->tool_settings, kind->when, true))
			continue;
		if (dist->kind)
			return err_set(err, -EINVAL, "by %s or by %s: choose one", dist->kind->name, kind->name);
		dist->kind = kind;
	}
	if (dist->kind && dist->kind->labelled && engine_check_key(dist->instance, dist->kind->name, err))
		return -EINVAL;
	dist->by = source->numbers_name ? source->numbers_name : (dist->kind ? dist->kind : source->kinds)->name;
	return 0;
}

static bool is_key(const struct field *field)
{
	return field->get == dist_get_key || field->get == dist_get_label;
}

/* An exporter sees no keys that are not there, and of counts no times. */
static bool is_left_out(const struct field *field, const struct dist *dist)
{
	bool keyed = dist->kind || dist->source->n_numbers;
	bool is_time = field->role == ROLE_SUMMARY || field->get == dist_get_total;

	return dist->instance->ctx->metrics && ((is_key(field) && !keyed) || (is_time && dist->counts));
}

/* Chooses charts or totals, with the words that depend on options. */
static void choose_schema(struct engine_instance *instance, const struct dist *dist)
{
	struct field *fields;
	size_t n = 0;

	if (!dist->charts)
		instance->schema = dist->source->totals;
	fields = engine_own_fields(instance);
	for (size_t i = 0; i < instance->schema->n; i++)
		if (!is_left_out(&fields[i], dist))
			fields[n++] = fields[i];
	engine_own_schema(instance)->n = n;
	for (size_t i = 0; i < n; i++) {
		if (fields[i].key == dist_by)
			fields[i].key = dist->by;
		if (fields[i].title == dist_total_title)
			fields[i].title = dist->total_title;
	}
}

static int choose_hist(struct dist *dist, struct err *err)
{
	const struct dist_source *source = dist->source;
	const struct settings *settings = dist->instance->settings;
	const void *tool = dist->instance->tool_settings;
	struct hists_settings hists = settings->hists;
	struct hist *hist = &dist->hists.hist;
	int ret;

	hists.msecs = setting_is(tool, source->msecs, false);
	hists.usecs = !hists.msecs && !setting_is(tool, source->nsecs, false);
	dist->counts = setting_is(tool, source->counts, false);
	dist->charts = setting_is(tool, source->charts, true);
	if (dist->counts && dist->charts && source->charts)
		return err_set(err, -EINVAL, "counts have no distribution: --count or --dist");
	if (!dist->charts && (hists.linear || hists.precise || settings->extension))
		return err_set(err, -EINVAL, "--%s needs --dist",
			       hists.linear    ? "linear"
			       : hists.precise ? "precise"
					       : "extension");
	ret = hists_init(&dist->hists, dist->instance->ctx, &hists, err);
	if (!dist->charts)
		hist->kind = HIST_SINGLE;
	hist->bare = !settings->extension;
	dist->hists.words = hist_words(hist);
	snprintf(dist->total_title, sizeof(dist->total_title), "TOTAL_%s", dist->counts ? "count" : hist->unit);
	return ret;
}

/* One histogram for all keys without a row, which all processors share as they share the rows. */
static int size_others(struct dist *dist, struct object *object, struct err *err)
{
	struct hists *hists = &dist->hists;

	hists->n = 1;
	hists->shards.size = keys_value_size(&hists->hist);
	return object_size_value(object, ".data.hist", hists_memory(hists), err);
}

static int size_keys(struct dist *dist, struct object *object, struct err *err)
{
	const struct hist *hist = &dist->hists.hist;
	const struct settings *settings = dist->instance->settings;
	size_t size = keys_value_size(hist);
	uint32_t max = settings->keys		    ? settings->keys
		       : hist->kind == HIST_PRECISE ? KEYS_PRECISE
						    : KEYS_DEFAULT;
	int ret;

	if (dist->instance->ctx->metrics)
		max = dist->instance->ctx->metrics->max_keys;
	keys_init(&dist->keys, -1, max, !dist->kind->named, hist);
	if ((uint64_t)size * max > KEYS_MEMORY)
		return err_set(err, -E2BIG, "%u histograms of %zu bytes each are too many: use a smaller --max-keys",
			       max, size);
	ret = object_size_key(object, "dist_rows", dist->keys.map.key_size, err);
	if (!ret)
		ret = object_size_value(object, "dist_rows", size, err);
	if (!ret)
		ret = object_size_map(object, "dist_rows", max, err);
	if (!ret)
		ret = object_size_value(object, ".data.empty", size, err);
	/* rows are summed over all processors */
	dist->progs.options.shared = true;
	dist->hists.shards = (struct shards){ .n = 1 };
	return ret || !dist->instance->ctx->metrics ? ret : size_others(dist, object, err);
}

/* Opens the object, and sizes and fills it according to the options. */
static int set_up(struct engine_instance *instance, struct dist *dist, struct err *err)
{
	struct object *object = &dist->progs.object;
	const struct settings *settings = dist->instance->settings;
	const struct dist_source *source = dist->source;
	struct dist_setup setup = {
		.keyed = !!dist->kind,
		.by = dist->kind ? dist->kind - source->kinds : 0,
		.others = !!instance->ctx->metrics,
	};
	int ret;

	dist->progs.pending = settings->pending;
	ret = progs_open(&dist->progs, err);

	/* the program of an interrupt may interrupt another program; newer kernels skip only the same program */
	dist->progs.options.shared = !quirk_guards_raw_tp();
	if (!ret)
		ret = object_fill(object, ".rodata.dist", &setup, sizeof(setup), err);
	if (!ret && dist->kind)
		ret = size_keys(dist, object, err);
	else if (!ret)
		ret = hists_size(&dist->hists, object, source->n_numbers ? source->n_numbers : 1, false, &dist->progs.options,
				 err);
	return ret;
}

static size_t memory(const struct dist *dist)
{
	return dist->kind ? dist->keys.map.max * dist->keys.map.value_size : hists_memory(&dist->hists);
}

/* Some programs of a tool count, others only record a start: each has only the patch sites that it needs. */
static int patch_images(struct dist *dist, struct err *err)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < dist->source->progs.n_probes; i++) {
		struct image *image = &dist->progs.images[i];

		sampling_patch(dist->instance, image);
		if (image_has(image, PATCH_HIST_KIND))
			ret = hists_patch(&dist->hists, image, err);
	}
	return ret;
}

static int load(struct engine_instance *instance, struct dist *dist, struct err *err)
{
	struct object *object = &dist->progs.object;
	int ret = set_up(instance, dist, err);

	if (!ret)
		ret = sampling_size(instance, object, err);
	if (!ret)
		ret = progs_prepare(&dist->progs, err);
	if (!ret)
		ret = patch_images(dist, err);
	if (ret)
		return ret;
	sampling_map(instance, object);
	if (dist->kind)
		dist->keys.map.fd = object_map_fd(object, "dist_rows");
	if (dist->hists.n)
		hists_map(&dist->hists, object);
	/* it is laid out as the rows */
	if (dist->hists.n && dist->kind)
		dist->hists.cells += DIST_LABEL_WORDS;
	report_verbose("maps are ready: %zu KB of histograms", memory(dist) / 1024);
	return 0;
}

static int configure(struct engine_instance *instance, struct dist *dist, struct err *err)
{
	int ret = interval_parse(instance, err);

	if (!ret)
		ret = choose_kind(dist, err);
	if (!ret)
		ret = choose_hist(dist, err);
	if (!ret)
		choose_schema(instance, dist);
	instance->ctx->usage = ret == -EINVAL;
	return ret ? ret : progs_configure(&dist->progs, err);
}

static int dist_open(struct engine_instance *instance, struct err *err)
{
	struct dist *dist = base_alloc(sizeof(*dist));
	int ret;

	instance->state = dist;
	dist->instance = instance;
	dist->source = instance->source;
	dist->progs.source = &dist->source->progs;
	dist->progs.instance = instance;
	dist->progs.settings = instance->tool_settings;
	dist->progs.options.must_not_miss = true; /* a skipped hit is not measured */
	dist->progs.options.progress = engine_progress;
	dist->progs.options.ctx = instance;
	dist->progs.options.keep = engine_keep(instance);
	ret = configure(instance, dist, err);
	if (!ret)
		ret = load(instance, dist, err);
	return ret ? ret : progs_attach(&dist->progs, err);
}

static void dist_armed(struct engine_instance *instance)
{
	struct dist *dist = instance->state;

	report_line("Tracing %s... Hit Ctrl-C to end.", dist->progs.source->what);
}

static void dist_close(struct engine_instance *instance)
{
	struct dist *dist = instance->state;

	if (!dist)
		return;
	progs_release(&dist->progs);
	hists_release(&dist->hists);
	keys_release(&dist->keys);
	free(dist);
}

const struct engine dist_engine = {
	.options_title = "distributions",
	.options = options,
	.n_options = ARRAY_SIZE(options),
	.settings_size = sizeof(struct settings),
	.open = dist_open,
	.armed = dist_armed,
	.snapshot = dist_snapshot,
	.emit = dist_emit,
	.losses = dist_losses,
	.stats = dist_stats,
	.attachment = dist_attachment,
	.close = dist_close,
};
