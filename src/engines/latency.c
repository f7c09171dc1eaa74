// SPDX-License-Identifier: BSD-2-Clause
/*
 * The user side of the latency engine: turns functions into pairs of probes and cells into histograms, and reports the
 * calls that were not measured.
 */
#include "base/report.h"
#include "bpf/filter.h"
#include "bpf/pending.h"
#include "bpf/slot.h"
#include "bpf/latency.skel.h"
#include "engine/filter.h"
#include "engine/hists.h"
#include "engine/object.h"
#include "engine/pairs.h"
#include "engine/probes.h"
#include "engine/sampling.h"
#include "engine/unhit.h"
#include "latency.h"

#define CALLS_DEFAULT 4096
#define CALLS_MAX     1000000
#define KEYS_DEFAULT  1024

/*
 * Up to so many functions have histograms of their own even if they are printed as one, so that no atomic add is
 * needed.
 */
#define OWN_ROWS_MAX 64

struct settings {
	struct probes_settings probes;
	struct hists_settings hists;
	bool by_function;
	uint32_t level, calls, keys;
};

static const struct settings defaults = { .probes.both = true, .calls = CALLS_DEFAULT, .keys = KEYS_DEFAULT };

static const struct opt options[] = {
	HISTS_UNITS(struct settings, hists),
	OPT(OPT_BOOL, struct settings, by_function, 'F', "function", NULL, "a histogram for each function"),
	PROBES_REGEX(struct settings, probes),
	PROBES_MANGLED(struct settings, probes.mangled),
	OPT(OPT_U32, struct settings, level, 'l', "level", "LEVEL",
	    "accepted as in bcc, but not needed: any depth of nesting is measured", .min = 1),
	HISTS_KINDS(struct settings, hists),
	OPT(OPT_U32, struct settings, keys, 0, "max-keys", "N", "at most N histograms, with -F: 1024", .min = 1),
	OPT(OPT_U32, struct settings, calls, 0, "max-calls", "N", "at most N pending calls at a time: 4096", .min = 1,
	    .max = CALLS_MAX),
	PROBES_MECHANISM(struct settings, probes),
	PROBES_FORCE(struct settings, probes.force),
};

struct latency {
	struct target_set set;
	struct object object;
	struct attach *attach;
	struct hists hists;
	struct pairs pairs;
};

/* Refuses more functions than histograms at once, before anything is measured. */
static int check_keys(const struct latency *latency, const struct settings *settings, struct err *err)
{
	if (!settings->by_function || latency->set.n_slots <= settings->keys)
		return 0;
	return err_set(err, -E2BIG, "%zu functions, but --max-keys allows %u histograms (of %zu bytes for each processor)",
		       latency->set.n_slots, settings->keys, latency->hists.words * sizeof(uint64_t));
}

/* The programs at the end of a call add the value. */
static int load_images(const struct engine_instance *instance, struct latency *latency, struct err *err)
{
	struct pairs *pairs = &latency->pairs;
	int ret = pairs_load(pairs, &latency->object, "latency_entry", "latency_return", "latency_session", err);

	sampling_patch(instance, &pairs->entry);
	sampling_patch(instance, &pairs->ret);
	sampling_patch(instance, &pairs->session);
	if (!ret)
		ret = hists_patch(&latency->hists, &pairs->ret, err);
	return ret ? ret : hists_patch(&latency->hists, &pairs->session, err);
}

static int load(struct engine_instance *instance, struct latency *latency, struct err *err)
{
	const struct settings *settings = instance->settings;
	struct attach_options options = probes_attach_options(instance, &settings->probes);
	bool all_in_one = !settings->by_function && latency->set.n_slots > OWN_ROWS_MAX;
	struct object *object = &latency->object;
	int ret = object_open(object, latency_bpf__elf_bytes, err);

	/* a skipped hit is a call that is not measured */
	options.must_not_miss = true;
	if (!ret)
		ret = hists_size(&latency->hists, object, latency->set.n_slots, all_in_one, &options, err);
	if (!ret)
		ret = pairs_size(object, settings->calls, sizeof(struct pending), &latency->pairs.pending_mask, err);
	if (!ret)
		ret = sampling_size(instance, object, err);
	if (!ret)
		ret = filter_before(instance, object, err);
	if (!ret)
		ret = object_fill_slots(object, &latency->set, err);
	if (!ret)
		ret = object_prepare(object, engine_keep(instance), err);
	if (!ret)
		ret = load_images(instance, latency, err);
	if (ret)
		return ret;
	latency->attach = attach_new(&latency->set, &options);
	attach_clear_at_resume(latency->attach, object_map_fd(object, ".data.pending"));
	hists_map(&latency->hists, object);
	sampling_map(instance, object);
	return filter_after(instance, object, err);
}

static int set_up(struct engine_instance *instance, struct latency *latency, struct err *err)
{
	const struct settings *settings = instance->settings;
	int ret = hists_init(&latency->hists, instance->ctx, &settings->hists, err);

	instance->ctx->usage = ret == -EINVAL;
	if (!ret)
		ret = probes_resolve(instance, &settings->probes, "measure", &latency->set, err);
	if (!ret)
		ret = pairs_make(&latency->set, false, err);
	if (!ret)
		ret = check_keys(latency, settings, err);
	return ret ? ret : load(instance, latency, err);
}

static size_t memory(const struct latency *latency)
{
	return hists_memory(&latency->hists) + object_value_size(&latency->object, ".data.pending");
}

static int latency_open(struct engine_instance *instance, struct err *err)
{
	struct latency *latency = base_alloc(sizeof(*latency));
	int ret;

	instance->state = latency;
	ret = set_up(instance, latency, err);
	if (ret)
		return ret;
	report_verbose("maps are ready: %zu KB", memory(latency) / 1024);
	return pairs_attach(&latency->pairs, latency->attach, &latency->set, err);
}

static void latency_armed(struct engine_instance *instance)
{
	struct latency *latency = instance->state;

	probes_say_armed(instance, pairs_count(latency->attach, &latency->set));
}

/* Returns the set whose slots are the rows; NULL: there is one row for all. */
static const struct target_set *shown_set(const struct engine_instance *instance)
{
	const struct settings *settings = instance->settings;
	const struct latency *latency = instance->state;

	return settings->by_function ? &latency->set : NULL;
}

static int latency_snapshot(struct engine_instance *instance, engine_row_fn fn, void *ctx)
{
	struct latency *latency = instance->state;

	hists_snapshot(&latency->hists, instance, "Function", shown_set(instance), fn, ctx);
	return 0;
}

static void latency_emit(struct engine_instance *instance, bool last)
{
	struct latency *latency = instance->state;

	hists_emit(&latency->hists, instance, "Function", shown_set(instance));
}

static void say_unhit(struct engine_instance *instance, struct latency *latency)
{
	__free uint64_t *hits = base_alloc(latency->set.n_slots * sizeof(*hits));

	for (size_t i = 0; i < latency->set.n_slots; i++)
		hits[i] = hists_seen(&latency->hists, i);
	unhit_say(instance, &latency->set, latency->attach, hits);
}

static void latency_losses(struct engine_instance *instance)
{
	const struct settings *settings = instance->settings;
	struct latency *latency = instance->state;
	__free uint64_t *by_slot = base_alloc(latency->set.n_slots * sizeof(*by_slot));
	struct target_notes failed = {};
	uint64_t missed = 0;
	bool knows = !attach_missed(latency->attach, by_slot, &missed);

	for (size_t i = 0; i < latency->set.n_slots; i++)
		missed += by_slot[i];
	pairs_failed(latency->attach, &latency->set, &failed);
	probes_say_left_out(instance, &latency->set, &failed);
	free(failed.v);
	probes_say_missed(instance, latency->attach, knows, missed, "calls not measured");
	missed += probes_say_missed_returns(instance, latency->attach, "calls not measured");
	probes_say_pushed_out(attach_pushed_out(latency->attach));
	probes_say_switched_off(latency->attach);
	say_unhit(instance, latency);
	pairs_say_losses(&latency->object, missed, settings->calls);
	pairs_say_leaves(latency->attach, &latency->set);
}

static void latency_stats(struct engine_instance *instance, struct engine_stats *stats)
{
	struct latency *latency = instance->state;

	stats->hits = hists_count(&latency->hists);
	if (shown_set(instance) && latency->hists.n > engine_max_rows(instance))
		stats->other = hist_count(&latency->hists.hist,
					  hists_read_from(&latency->hists, engine_max_rows(instance)));
	stats->memory = object_bytes(&latency->object);
	pairs_add_stats(&latency->object, stats);
}

static struct attach *latency_attachment(const struct engine_instance *instance, size_t n)
{
	const struct latency *latency = instance->state;

	return n ? NULL : latency->attach;
}

static void latency_close(struct engine_instance *instance)
{
	struct latency *latency = instance->state;

	if (!latency)
		return;
	attach_free(latency->attach);
	pairs_release(&latency->pairs);
	object_release(&latency->object);
	target_set_release(&latency->set);
	hists_release(&latency->hists);
	free(latency);
}

const struct engine latency_engine = {
	.options_title = "latency",
	.options = options,
	.n_options = ARRAY_SIZE(options),
	.settings_size = sizeof(struct settings),
	.defaults = &defaults,
	.open = latency_open,
	.armed = latency_armed,
	.snapshot = latency_snapshot,
	.emit = latency_emit,
	.losses = latency_losses,
	.stats = latency_stats,
	.attachment = latency_attachment,
	.close = latency_close,
};
