// SPDX-License-Identifier: BSD-2-Clause
/* Reads what programs count by stack, and hands it to the table of stacks; reports what was not counted. */
#include "base/report.h"
#include "engine/batch.h"
#include "engine/probes.h"
#include "engine/progs_life.h"
#include "stack_counts.h"

struct settings {
	struct stacks_settings stacks;
	uint32_t pending;
};

static const struct opt options[] = {
	STACKS_PARTS(struct settings, stacks),
	STACKS_OUTPUT(struct settings, stacks),
	STACKS_OPTIONS(struct settings, stacks),
	PROGS_MAX_PENDING(struct settings, pending),
};

struct stack_counts {
	struct engine_instance *instance;
	const struct stack_counts_source *source;
	struct progs progs;
	struct stacks *stacks;
	struct stacks_source stacks_source; /* with this instance's settings */
	struct batch_map map;
	size_t unended;
	bool knows_missed;
};

void stack_counts_set_task(struct value *to, const char *comm, const char *before, uint32_t id, const char *after)
{
	str_addn(to->room, comm, strnlen(comm, sizeof(((struct stack_key *)0)->comm)));
	str_addf(to->room, "%s%u%s", before, id, after);
	value_set_made(to);
}

/* --- tables --- */

static void set_total(const void *key, const void *value, void *stacks)
{
	const struct stack_count *total = value;

	stacks_set(stacks, key, total->count, total->ns);
}

/* Entries only grow and are never deleted, so that reading them loses nothing. */
static int read_totals(struct stack_counts *counts)
{
	stacks_take(counts->stacks);
	return batch_read(&counts->map, set_total, counts->stacks);
}

static void add_unended(const struct stack_key *key, uint64_t ns, void *stacks)
{
	stacks_add(stacks, key, 1, ns);
}

static void stack_counts_emit(struct engine_instance *instance, bool last)
{
	struct stack_counts *counts = instance->state;
	int ret = read_totals(counts);

	if (ret)
		report_error("cannot read the counts of stacks: %s", strerror(-ret));
	instance->ctx->failed |= ret < 0;
	if (last && counts->source->unended)
		counts->unended = counts->source->unended(&counts->progs, add_unended, counts->stacks);
	stacks_print(counts->stacks, last);
}

static int stack_counts_snapshot(struct engine_instance *instance, engine_row_fn fn, void *ctx)
{
	struct stack_counts *counts = instance->state;
	int ret = read_totals(counts);

	return ret ? ret : stacks_snapshot(counts->stacks, fn, ctx);
}

static void stack_counts_losses(struct engine_instance *instance)
{
	struct stack_counts *counts = instance->state;
	uint64_t missed = progs_missed(&counts->progs, &counts->knows_missed);

	if (counts->unended)
		report_note("%zu %s%s still %s when tracing ended: the time so far is included", counts->unended,
			    counts->source->unended_what, str_plural(counts->unended), counts->source->unended_state);
	probes_say_missed(instance, counts->progs.attach, counts->knows_missed, missed, "not counted");
	probes_say_pushed_out(attach_pushed_out(counts->progs.attach));
	probes_say_switched_off(counts->progs.attach);
	progs_say_losses(&counts->progs, missed);
	stacks_losses(counts->stacks);
}

/* --- begin and end --- */

static void choose_stacks(struct stack_counts *counts)
{
	const struct stack_counts_source *source = counts->source;
	struct settings *settings = counts->instance->settings;

	settings->stacks.kernel_only |= source->kernel_only;
	counts->stacks_source = source->stacks;
	counts->stacks_source.settings = &settings->stacks;
	counts->stacks_source.keyed = true;
}

static int set_up(struct engine_instance *instance, struct stack_counts *counts, struct err *err)
{
	const struct settings *settings = instance->settings;
	struct object *object = &counts->progs.object;
	int ret;

	counts->map = (struct batch_map){
		.max = settings->stacks.storage ? settings->stacks.storage : STACKS_STORAGE,
		.key_size = sizeof(struct stack_key),
		.value_size = sizeof(struct stack_count),
	};
	counts->progs.pending = settings->pending;
	ret = progs_open(&counts->progs, err);
	choose_stacks(counts);
	return ret ? ret : stacks_open(&counts->stacks, instance, &counts->stacks_source, object, err);
}

static int load(struct engine_instance *instance, struct stack_counts *counts, struct err *err)
{
	struct object *object = &counts->progs.object;
	int ret = progs_configure(&counts->progs, err);

	if (!ret)
		ret = set_up(instance, counts, err);
	if (!ret)
		ret = progs_prepare(&counts->progs, err);
	if (ret)
		return ret;
	counts->map.fd = object_map_fd(object, "stack_counts");
	instance->targets = &counts->progs.set;
	output_set_context(instance->ctx->out, instance);
	return stacks_start(counts->stacks, object, err);
}

static int stack_counts_open(struct engine_instance *instance, struct err *err)
{
	struct stack_counts *counts = base_alloc(sizeof(*counts));
	int ret;

	instance->state = counts;
	counts->instance = instance;
	counts->source = instance->source;
	counts->progs = (struct progs){
		.source = &counts->source->progs,
		.instance = instance,
		.settings = instance->tool_settings,
		.options = {
			.must_not_miss = true, /* a skipped hit is not counted */
			.shared = true,
			.pid = instance->ctx->pid,
			.progress = engine_progress,
			.ctx = instance,
		},
	};
	ret = load(instance, counts, err);
	return ret ? ret : progs_attach(&counts->progs, err);
}

static void stack_counts_armed(struct engine_instance *instance)
{
	struct stack_counts *counts = instance->state;

	if (counts->source->progs.specs)
		probes_say_armed(instance, attach_count(counts->progs.attach));
	else
		report_line("Tracing %s... Hit Ctrl-C to end.", counts->progs.source->what);
}

static void stack_counts_close(struct engine_instance *instance)
{
	struct stack_counts *counts = instance->state;

	if (!counts)
		return;
	stacks_free(counts->stacks);
	progs_release(&counts->progs);
	free(counts);
}

const struct engine stack_counts_engine = {
	.options_title = "stacks",
	.options = options,
	.n_options = ARRAY_SIZE(options),
	.settings_size = sizeof(struct settings),
	.open = stack_counts_open,
	.armed = stack_counts_armed,
	.snapshot = stack_counts_snapshot,
	.emit = stack_counts_emit,
	.take = engine_take,
	.losses = stack_counts_losses,
	.close = stack_counts_close,
};
