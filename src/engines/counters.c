// SPDX-License-Identifier: BSD-2-Clause
/* Targets to programs, programs to totals. Knows no rows. */
#include "attach/plan.h"
#include "base/report.h"
#include "bpf/filter.h"
#include "bpf/slot.h"
#include "bpf/count.skel.h"
#include "counters.h"
#include "engine/filter.h"
#include "engine/unhit.h"

static int set_sizes(struct counters *counters, struct attach_options *options, struct err *err)
{
	counters->shards = shards_of(counters->set.n_slots * sizeof(uint64_t));
	options->shared = shards_are_shared(&counters->shards);
	return object_size_value(&counters->object, ".bss", shards_memory(&counters->shards), err);
}

static int load(struct counters *counters, const struct probes_settings *settings, struct err *err)
{
	struct engine_instance *instance = counters->instance;
	struct attach_options attach_options = probes_attach_options(instance, settings);
	struct object *object = &counters->object;
	int ret = object_open(object, count_bpf__elf_bytes, err);

	if (!ret)
		ret = set_sizes(counters, &attach_options, err);
	if (!ret)
		ret = filter_before(instance, object, err);
	if (!ret)
		ret = object_fill_slots(object, &counters->set, err);
	if (!ret)
		ret = object_prepare(object, engine_keep(counters->instance), err);
	if (!ret)
		ret = object_image(object, "count", &counters->image, err);
	if (!ret)
		ret = shards_patch(&counters->shards, &counters->image, err);
	if (ret)
		return ret;
	counters->attach = attach_new(&counters->set, &attach_options);
	counters->memory = object_memory(object, ".bss", shards_memory(&counters->shards));
	return filter_after(instance, object, err);
}

int counters_open(struct counters *counters, struct engine_instance *instance, const struct probes_settings *settings,
		  struct err *err)
{
	const struct plan_step step = { .image = &counters->image };
	int ret;

	counters->instance = instance;
	ret = load(counters, settings, err);
	if (ret)
		return ret;
	counters->totals = base_alloc(counters->set.n_slots * sizeof(*counters->totals));
	report_verbose("maps are ready");
	return plan_run(counters->attach, &step, 1, err);
}

static uint64_t counted(const struct counters *counters, size_t slot)
{
	size_t shard_words = counters->shards.size / sizeof(*counters->memory);
	uint64_t total = 0;

	for (size_t i = 0; i < counters->shards.n; i++)
		total += __atomic_load_n(&counters->memory[i * shard_words + slot], __ATOMIC_RELAXED);
	return total;
}

/*
 * A preemptible kernel may preempt a program, and skips it on that processor until it continues (7.x does so on raw
 * tracepoints). It counts the skipped hits. If a program serves one slot and has no filter, these hits belong to the
 * slot. With a filter, nobody knows which of them would have passed.
 */
void counters_update(struct counters *counters)
{
	size_t n = counters->set.n_slots;
	__free uint64_t *skipped = base_alloc(n * sizeof(*skipped));
	bool filtered = counters->instance->filter.any;

	counters->knows_missed = !attach_missed(counters->attach, skipped, &counters->missed);
	for (size_t slot = 0; slot < n; slot++) {
		counters->totals[slot] = counted(counters, slot);
		*(filtered ? &counters->missed : &counters->totals[slot]) += skipped[slot];
	}
}

void counters_add_stats(const struct counters *counters, struct engine_stats *stats)
{
	for (size_t slot = 0; slot < counters->set.n_slots; slot++)
		stats->hits += counted(counters, slot);
	stats->memory += object_bytes(&counters->object);
}

void counters_say_losses(struct counters *counters)
{
	struct engine_instance *instance = counters->instance;

	probes_say_missed(instance, counters->attach, counters->knows_missed, counters->missed, "not counted");
	probes_say_pushed_out(attach_pushed_out(counters->attach));
	probes_say_switched_off(counters->attach);
	unhit_say(instance, &counters->set, counters->attach, counters->totals);
	probes_say_missed_returns(instance, counters->attach, "not counted");
}

void counters_release(struct counters *counters)
{
	attach_free(counters->attach);
	image_release(&counters->image);
	object_release(&counters->object);
	target_set_release(&counters->set);
	free(counters->totals);
}
