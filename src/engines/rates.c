// SPDX-License-Identifier: BSD-2-Clause
/* The rates engine: a tool's fixed specs to counters, these to one row for each interval. */
#include "base/clock.h"
#include "base/report.h"
#include "engine/interval.h"
#include "kernel/kernel.h"
#include "counters.h"
#include "rates.h"

struct settings {
	struct probes_settings probes;
};

static const struct opt options[] = { PROBES_MECHANISM(struct settings, probes) };

struct rates {
	struct counters counters;
	struct rates_spec specs[RATES_MAX];
	size_t n;
	uint64_t began, shown_at; /* ns since boot: when the probes were armed; when the last row ended */
	struct pool reasons;
};

/* --- rows --- */

static uint64_t per_second(uint64_t count, uint64_t ns)
{
	return ns ? ((unsigned __int128)count * NS_PER_SEC + ns / 2) / ns : 0;
}

void rates_fill(struct rates_row *row, const struct rates_spec *specs, size_t n, uint64_t ns)
{
	row->ns = ns;
	for (size_t i = 0; i < RATES_MAX; i++) {
		struct rates_cell *cell = &row->cells[i];

		*cell = (struct rates_cell){ UINT64_MAX, UINT64_MAX };
		if (i >= n || !specs[i].counted)
			continue;
		/* the kernel's own counts are not read at one moment: a total may be lower than before */
		cell->count = specs[i].total > specs[i].shown ? specs[i].total - specs[i].shown : 0;
		cell->per_second = per_second(cell->count, ns);
	}
}

static void update(struct rates *rates)
{
	counters_update(&rates->counters);
	for (size_t i = 0; i < rates->n; i++)
		rates->specs[i].total = rates->counters.totals[i];
}

/* The next row begins here. */
static void move_on(struct rates *rates, uint64_t now)
{
	rates->shown_at = now;
	for (size_t i = 0; i < rates->n; i++)
		if (rates->specs[i].shown < rates->specs[i].total)
			rates->specs[i].shown = rates->specs[i].total;
}

static void rates_emit(struct engine_instance *instance, bool last)
{
	const struct output_clock clock = { .wall_offset = clock_wall_offset() };
	struct rates *rates = instance->state;
	struct rates_row row = { .time = clock_boot_ns() };

	update(rates);
	rates_fill(&row, rates->specs, rates->n, row.time - rates->shown_at);
	move_on(rates, row.time);
	output_set_clock(instance->ctx->out, &clock);
	output_row(instance->ctx->out, &row);
	output_flush(instance->ctx->out);
}

static int rates_snapshot(struct engine_instance *instance, engine_row_fn fn, void *ctx)
{
	struct rates *rates = instance->state;
	struct rates_row row = { .time = clock_boot_ns() };
	struct rates_spec specs[RATES_MAX];

	update(rates);
	memcpy(specs, rates->specs, sizeof(specs));
	for (size_t i = 0; i < rates->n; i++)
		specs[i].shown = 0;
	rates_fill(&row, specs, rates->n, row.time - rates->began);
	fn(&row, ctx);
	return 0;
}

/* --- begin --- */

/* A spec that matches nothing is no error as long as another one matches something. */
static int resolve(struct engine_instance *instance, struct rates *rates, struct err *err)
{
	const struct rates_source *source = instance->source;
	struct kernel *kernel __cleanup(kernel_freep) = kernel_new();
	const struct target_options options = { .kernel = kernel, .pid = instance->ctx->pid };
	struct target_set *set = &rates->counters.set;
	int ret = 0;

	rates->n = set->n_slots = source->n;
	for (size_t i = 0; i < source->n; i++) {
		struct err missing = {};
		int one = probes_add_spec(set, source->specs[i], i, &options, &missing);

		if (!one)
			continue;
		if (one != -ENOENT) {
			*err = missing;
			return one;
		}
		rates->specs[i].missing = pool_add(&rates->reasons, missing.text);
		if (!ret)
			*err = missing;
		ret = one;
	}
	return set->n ? 0 : ret;
}

static void note_attached(struct rates *rates)
{
	const struct counters *counters = &rates->counters;

	for (size_t i = 0; i < counters->set.n; i++) {
		const struct target *target = &counters->set.v[i];
		struct rates_spec *spec = &rates->specs[target->slot];

		if (attach_is_attached(counters->attach, i))
			spec->counted = true;
		else
			spec->missing = pool_addf(&rates->reasons, "cannot attach to '%s': %s", target->label,
						  attach_why_not(counters->attach, i));
	}
}

static int configure(struct engine_instance *instance, struct err *err)
{
	int ret = interval_parse(instance, err);

	instance->ctx->usage = ret == -EINVAL;
	if (!instance->ctx->interval && !instance->ctx->metrics)
		instance->ctx->interval = NS_PER_SEC;
	return ret;
}

static int rates_open(struct engine_instance *instance, struct err *err)
{
	const struct settings *settings = instance->settings;
	struct rates *rates = base_alloc(sizeof(*rates));
	int ret;

	instance->state = rates;
	ret = configure(instance, err);
	if (!ret)
		ret = resolve(instance, rates, err);
	if (!ret)
		ret = counters_open(&rates->counters, instance, &settings->probes, err);
	if (ret)
		return ret;
	note_attached(rates);
	/* the first row has no hits that came while further probes were being attached */
	rates->began = clock_boot_ns();
	update(rates);
	move_on(rates, rates->began);
	return 0;
}

static void rates_armed(struct engine_instance *instance)
{
	const struct rates_source *source = instance->source;

	report_line("Tracing %s... Hit Ctrl-C to end.", source->what);
	output_table_begin(instance->ctx->out, instance->schema, NULL, true);
	output_flush(instance->ctx->out);
}

/* --- end --- */

static const char *title_of(const struct schema *schema, size_t spec)
{
	for (size_t i = 0; i < schema->n; i++)
		if (schema->fields[i].offset == offsetof(struct rates_row, cells[spec].per_second))
			return schema->fields[i].title;
	return "a column";
}

static void rates_losses(struct engine_instance *instance)
{
	struct rates *rates = instance->state;

	for (size_t i = 0; i < rates->n; i++)
		if (rates->specs[i].missing)
			report_note("%s %s: %s", title_of(instance->schema, i),
				    rates->specs[i].counted ? "may be too low" : "is not counted",
				    rates->specs[i].missing);
	counters_say_losses(&rates->counters);
}

static void rates_stats(struct engine_instance *instance, struct engine_stats *stats)
{
	struct rates *rates = instance->state;

	counters_add_stats(&rates->counters, stats);
}

static struct attach *rates_attachment(const struct engine_instance *instance, size_t n)
{
	const struct rates *rates = instance->state;

	return n ? NULL : rates->counters.attach;
}

static void rates_close(struct engine_instance *instance)
{
	struct rates *rates = instance->state;

	if (!rates)
		return;
	counters_release(&rates->counters);
	pool_release(&rates->reasons);
	free(rates);
}

const struct engine rates_engine = {
	.options_title = "probes",
	.options = options,
	.n_options = ARRAY_SIZE(options),
	.settings_size = sizeof(struct settings),
	.open = rates_open,
	.armed = rates_armed,
	.snapshot = rates_snapshot,
	.emit = rates_emit,
	.losses = rates_losses,
	.stats = rates_stats,
	.attachment = rates_attachment,
	.close = rates_close,
};
