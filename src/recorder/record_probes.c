// SPDX-License-Identifier: BSD-2-Clause
/*
 * The user's probes in a recording: one program at entries and places, one at returns, and one for the records of
 * tracepoints.
 */
#include "attach/plan.h"
#include "record/writer.h"
#include "record_part.h"

int record_probes_resolve(struct recorder *recorder, struct err *err)
{
	struct probes_settings settings = ((const struct record_settings *)recorder->instance->settings)->probes;
	struct engine_instance *instance = recorder->instance;
	struct record_probes *probes = &recorder->probes;
	const struct opt_list all = instance->args;
	int ret;

	if (!probes->specs.n)
		return 0;
	settings.value = true;
	instance->args = probes->specs;
	ret = probes_resolve(instance, &settings, "record", &probes->set, err);
	instance->args = all;
	if (!ret)
		ret = object_fill_slots(&recorder->progs.object, &probes->set, err);
	return ret ? ret : record_tracepoints_find(recorder, err);
}

int record_probes_prepare(struct recorder *recorder, struct err *err)
{
	struct record_probes *probes = &recorder->probes;
	const struct {
		const char *program;
		struct image *image;
	} images[] = { { "hit", &probes->entry }, { "returned", &probes->ret }, { "traced", &probes->trace } };
	int ret = 0;

	for (size_t i = 0; !ret && probes->set.n && i < ARRAY_SIZE(images); i++) {
		ret = object_image(&recorder->progs.object, images[i].program, images[i].image, err);
		if (!ret)
			ret = ring_patch(recorder->ring, images[i].image, err);
	}
	return ret;
}

enum program {
	AT_ENTRY,
	AT_RETURN,
	TRACES,
};

static enum program program_of(const struct record_probes *probes, const struct target *target)
{
	if (record_tracepoints_has(probes, target))
		return TRACES;
	return target->ret ? AT_RETURN : AT_ENTRY;
}

/* Adds the targets of a program behind those of others. Returns how many. */
static size_t add_targets(struct record_probes *probes, enum program program, size_t at)
{
	size_t n = 0;

	for (size_t i = 0; i < probes->set.n; i++)
		if (program_of(probes, &probes->set.v[i]) == program)
			probes->targets[at + n++] = i;
	return n;
}

static void sort_targets(struct record_probes *probes)
{
	probes->targets = base_alloc(probes->set.n * sizeof(*probes->targets));
	probes->n_entries = add_targets(probes, AT_ENTRY, 0);
	probes->n_returns = add_targets(probes, AT_RETURN, probes->n_entries);
	probes->n_traces = add_targets(probes, TRACES, probes->n_entries + probes->n_returns);
}

static int attach_traces(struct recorder *recorder, struct attach_options options, struct err *err)
{
	struct record_probes *probes = &recorder->probes;
	const struct plan_step step = {
		.image = &probes->trace,
		.targets = probes->targets + probes->n_entries + probes->n_returns,
		.n = probes->n_traces,
	};

	options.record = true;
	probes->records = attach_new(&probes->set, &options);
	return plan_run(probes->records, &step, 1, err);
}

static int attach_functions(struct recorder *recorder, const struct attach_options *options, struct err *err)
{
	struct record_probes *probes = &recorder->probes;
	struct plan_step steps[2];
	size_t used = 0;

	if (probes->n_entries)
		steps[used++] = (struct plan_step){
			.image = &probes->entry,
			.targets = probes->targets,
			.n = probes->n_entries,
		};
	if (probes->n_returns)
		steps[used++] = (struct plan_step){
			.image = &probes->ret,
			.targets = probes->targets + probes->n_entries,
			.n = probes->n_returns,
		};
	probes->attach = attach_new(&probes->set, options);
	return plan_run(probes->attach, steps, used, err);
}

int record_probes_attach(struct recorder *recorder, struct err *err)
{
	const struct record_settings *settings = recorder->instance->settings;
	struct attach_options options = probes_attach_options(recorder->instance, &settings->probes);
	struct record_probes *probes = &recorder->probes;
	int ret = 0;

	if (!probes->set.n)
		return 0;
	sort_targets(probes);
	options.must_not_miss = true;
	options.arguments = true;
	options.shared = true;
	if (probes->n_entries + probes->n_returns)
		ret = attach_functions(recorder, &options, err);
	return ret || !probes->n_traces ? ret : attach_traces(recorder, options, err);
}

void record_probes_pause(struct recorder *recorder, const char *why)
{
	struct record_probes *probes = &recorder->probes;

	if (probes->attach)
		attach_pause(probes->attach, why);
	if (probes->records)
		attach_pause(probes->records, why);
}

int record_probes_write(struct recorder *recorder)
{
	const struct target_set *set = &recorder->probes.set;
	int ret = 0;

	for (size_t i = 0; !ret && i < set->n_slots; i++)
		ret = writer_text(recorder->writer, LAYOUT_SPACE_PROBES, i, set->slots[i]);
	return ret;
}

static bool is_attached(const struct record_probes *probes, size_t target)
{
	return (probes->attach && attach_is_attached(probes->attach, target)) ||
	       (probes->records && attach_is_attached(probes->records, target));
}

static const char *why_not(const struct record_probes *probes, size_t target)
{
	if (record_tracepoints_has(probes, &probes->set.v[target]))
		return attach_why_not(probes->records, target);
	return attach_why_not(probes->attach, target);
}

size_t record_probes_say(struct recorder *recorder)
{
	struct record_probes *probes = &recorder->probes;
	struct target_notes failed = {};
	size_t n;

	for (size_t i = 0; i < probes->set.n; i++)
		if (!is_attached(probes, i))
			*vec_push(&failed) = (struct target_note){ probes->set.v[i].label, why_not(probes, i) };
	n = failed.n;
	if (probes->set.n)
		probes_say_left_out(recorder->instance, &probes->set, &failed);
	free(failed.v);
	return n;
}

static uint64_t missed_by(const struct attach *attach, size_t n_slots)
{
	__free uint64_t *by_slot = base_alloc((n_slots + 1) * sizeof(*by_slot));
	uint64_t missed = 0;

	if (attach)
		attach_missed(attach, by_slot, &missed);
	for (size_t i = 0; i < n_slots; i++)
		missed += by_slot[i];
	return missed;
}

uint64_t record_probes_missed(struct recorder *recorder)
{
	const struct record_probes *probes = &recorder->probes;

	return missed_by(probes->attach, probes->set.n_slots) + missed_by(probes->records, probes->set.n_slots);
}

void record_probes_release(struct recorder *recorder)
{
	struct record_probes *probes = &recorder->probes;

	attach_free(probes->attach);
	attach_free(probes->records);
	image_release(&probes->entry);
	image_release(&probes->ret);
	image_release(&probes->trace);
	free(probes->kinds.v);
	pool_release(&probes->pool);
	target_set_release(&probes->set);
	free(probes->targets);
	free(probes->specs.v);
}
