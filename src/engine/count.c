// SPDX-License-Identifier: BSD-2-Clause
/*
 * The user side of the count engine: turns specs into targets, targets into links, counters into rows. Counters only
 * grow; a table shows the difference to the table before, so no hit is lost between two tables.
 */
#include "attach/plan.h"
#include "attach/shards.h"
#include "base/report.h"
#include "bpf/filter.h"
#include "bpf/slot.h"
#include "bpf/count.skel.h"
#include "count.h"
#include "filter.h"
#include "object.h"
#include "probes.h"
#include "unhit.h"

struct settings {
	struct probes_settings probes;
	uint32_t top;
};

static const struct opt options[] = {
	PROBES_REGEX(struct settings, probes),
	PROBES_MANGLED(struct settings, probes.mangled),
	OPT(OPT_U32, struct settings, top, 0, "top", "N", "print only the N largest counts of a table", .min = 1),
	PROBES_MECHANISM(struct settings, probes),
	PROBES_FORCE(struct settings, probes.force),
};

struct count {
	struct target_set set;
	struct object object;
	struct attach *attach;
	struct image image;
	const uint64_t *counters; /* [shard][slot], shared with the kernel; memory of the map */
	struct shards shards;
	uint64_t *totals;  /* each slot's count since the beginning */
	uint64_t *before;  /* the counts at the last table */
	uint64_t missed;   /* hits that belong to no row */
	bool knows_missed; /* the kernel counts the hits that it misses */
	struct count_row *rows;
};

static int set_sizes(struct count *count, struct attach_options *options, struct err *err)
{
	count->shards = shards_of(count->set.n_slots * sizeof(uint64_t));
	options->shared = shards_are_shared(&count->shards);
	return object_size_value(&count->object, ".bss", shards_memory(&count->shards), err);
}

static int load(struct engine_instance *instance, struct count *count, struct err *err)
{
	const struct settings *settings = instance->settings;
	struct attach_options attach_options = probes_attach_options(instance, &settings->probes);
	struct object *object = &count->object;
	int ret = object_open(object, count_bpf__elf_bytes, err);

	if (!ret)
		ret = set_sizes(count, &attach_options, err);
	if (!ret)
		ret = filter_before(instance, object, err);
	if (!ret)
		ret = object_fill_slots(object, &count->set, err);
	if (!ret)
		ret = object_prepare(object, err);
	if (!ret)
		ret = object_image(object, "count", &count->image, err);
	if (!ret)
		ret = shards_patch(&count->shards, &count->image, err);
	if (ret)
		return ret;
	count->attach = attach_new(&count->set, &attach_options);
	count->counters = object_memory(object, ".bss", shards_memory(&count->shards));
	return filter_after(instance, object, err);
}

static void count_close(struct engine_instance *instance)
{
	struct count *count = instance->state;

	if (!count)
		return;
	attach_free(count->attach);
	image_release(&count->image);
	object_release(&count->object);
	target_set_release(&count->set);
	free(count->totals);
	free(count->before);
	free(count->rows);
	free(count);
}

static int count_open(struct engine_instance *instance, struct err *err)
{
	const struct settings *settings = instance->settings;
	struct count *count = base_alloc(sizeof(*count));
	const struct plan_step step = { .image = &count->image };
	int ret;

	instance->state = count;
	ret = probes_resolve(instance, &settings->probes, "count", &count->set, err);
	if (!ret)
		ret = load(instance, count, err);
	if (ret)
		return ret;
	count->totals = base_alloc(count->set.n_slots * sizeof(*count->totals));
	count->before = base_alloc(count->set.n_slots * sizeof(*count->before));
	count->rows = base_alloc(count->set.n_slots * sizeof(*count->rows));
	report_verbose("maps are ready");
	return plan_run(count->attach, &step, 1, err);
}

static void count_armed(struct engine_instance *instance)
{
	struct count *count = instance->state;

	probes_say_armed(instance, attach_count(count->attach));
}

static uint64_t counted(const struct count *count, size_t slot)
{
	uint64_t total = 0;

	for (size_t i = 0; i < count->shards.n; i++)
		total += __atomic_load_n(&count->counters[i * count->shards.size / sizeof(total) + slot], __ATOMIC_RELAXED);
	return total;
}

/*
 * A preemptible kernel may preempt a program, and skips it on that processor until it continues (7.x does so on raw
 * tracepoints). It counts the skipped hits. If a program serves one slot and has no filter, these hits belong to the
 * slot. With a filter, nobody knows which of them would have passed.
 */
static void update_totals(struct engine_instance *instance, struct count *count)
{
	size_t n = count->set.n_slots;
	__free uint64_t *skipped = base_alloc(n * sizeof(*skipped));

	count->knows_missed = !attach_missed(count->attach, skipped, &count->missed);
	for (size_t slot = 0; slot < n; slot++) {
		count->totals[slot] = counted(count, slot);
		*(instance->filter.any ? &count->missed : &count->totals[slot]) += skipped[slot];
	}
}

static int by_count(const void *pa, const void *pb)
{
	const struct count_row *a = pa, *b = pb;

	if (a->count != b->count)
		return a->count < b->count ? -1 : 1;
	return strcmp(a->name, b->name);
}

static int count_snapshot(struct engine_instance *instance, engine_row_fn fn, void *ctx)
{
	struct count *count = instance->state;

	update_totals(instance, count);
	for (size_t slot = 0; slot < count->set.n_slots; slot++) {
		const struct count_row row = {
			.name = count->set.slots[slot],
			.symbol = count->set.symbols[slot],
			.count = count->totals[slot],
		};

		if (row.count)
			fn(&row, ctx);
	}
	return 0;
}

/* Prints the rows that are not zero, ascending, and remembers them for the difference of the next table. */
static size_t collect(struct engine_instance *instance, struct count *count)
{
	size_t n = 0;

	update_totals(instance, count);
	for (size_t slot = 0; slot < count->set.n_slots; slot++) {
		uint64_t total = count->totals[slot];

		/* the kernel's counts are not read at one moment: never let them decrease */
		if (total <= count->before[slot])
			continue;
		count->rows[n].name = count->set.slots[slot];
		count->rows[n].symbol = count->set.symbols[slot];
		count->rows[n++].count = total - count->before[slot];
		count->before[slot] = total;
	}
	qsort(count->rows, n, sizeof(*count->rows), by_count);
	return n;
}

static void count_emit(struct engine_instance *instance, bool last)
{
	const struct settings *settings = instance->settings;
	struct count *count = instance->state;
	size_t n = collect(instance, count), first = 0;

	if (settings->top && n > settings->top)
		first = n - settings->top;
	engine_table_begin(instance);
	for (size_t i = first; i < n; i++)
		output_row(instance->ctx->out, &count->rows[i]);
	output_table_end(instance->ctx->out);
}

static void count_losses(struct engine_instance *instance)
{
	struct count *count = instance->state;
	struct target_notes failed = {};

	for (size_t i = 0; i < count->set.n; i++) {
		struct target_note *note;

		if (attach_is_attached(count->attach, i))
			continue;
		note = vec_push(&failed);
		note->name = count->set.v[i].label;
		note->reason = attach_why_not(count->attach, i);
	}
	probes_say_left_out(instance, &count->set, &failed);
	free(failed.v);
	probes_say_missed(instance, count->knows_missed, count->missed, "not counted");
	probes_say_switched_off(count->attach);
	unhit_say(instance, &count->set, count->attach, count->totals);
	if (attach_hides_missed_returns(count->attach))
		report_note("returns may be missing: with kprobe this kernel follows only a few calls of a function at "
			    "a time, sleeping ones included, and does not report how many it missed");
}

const struct engine count_engine = {
	.options_title = "probes",
	.options = options,
	.n_options = ARRAY_SIZE(options),
	.settings_size = sizeof(struct settings),
	.open = count_open,
	.armed = count_armed,
	.snapshot = count_snapshot,
	.emit = count_emit,
	.losses = count_losses,
	.close = count_close,
};
