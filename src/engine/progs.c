// SPDX-License-Identifier: BSD-2-Clause
/* Opens, configures, prepares and releases the object of a tool's programs. progs_attach.c attaches them. */
#include "attach/plan.h"
#include "base/report.h"
#include "bpf/pending.h"
#include "filter.h"
#include "probes.h"
#include "progs_instance.h"

/* If hits belong to no task, only the time during which a command runs matters, not its tasks. */
static void forget_task(struct filter *filter)
{
	filter->by_members = 0;
	filter->any = filter->by_cpu;
}

int progs_configure(struct progs *progs, struct err *err)
{
	int ret = progs->source->configure ? progs->source->configure(progs->instance, err) : 0;

	if (progs->source->no_task)
		forget_task(&progs->instance->filter);
	progs->instance->ctx->usage = progs->instance->ctx->usage || ret == -EINVAL;
	return ret;
}

/* Resolves functions to targets; the programs find their slots in the object's tables. */
static int resolve_pairs(struct progs *progs, struct err *err)
{
	const struct progs_pairs *pairs = progs->source->pairs;
	const struct probes_settings settings = {
		.regex = *pairs->regex, .mangled = *pairs->mangled, .force = *pairs->force, .both = true
	};
	int ret = probes_resolve(progs->instance, &settings, "trace", &progs->set, err);

	progs->options.arguments = true;
	if (!ret)
		ret = pairs_make(&progs->set, err);
	return ret ? ret : object_fill_slots(&progs->object, &progs->set, err);
}

static int resolve_specs(struct progs *progs, struct err *err)
{
	const struct progs_specs *specs = progs->source->specs;
	int ret = probes_resolve(progs->instance, specs->settings, specs->what, &progs->set, err);

	progs->options.mech = specs->settings->mech;
	return ret ? ret : object_fill_slots(&progs->object, &progs->set, err);
}

static int size_pending(struct progs *progs, struct err *err)
{
	const struct progs_pending *pending = &progs->source->pending;
	size_t size = pending->size ? pending->size : sizeof(struct pending);

	if (!object_has(&progs->object, ".data.pending"))
		return 0;
	if (pending->instead && *pending->instead)
		progs->pending = *pending->instead;
	if (!progs->pending)
		progs->pending = pending->entries;
	/* a tool may have a table that it does not use now */
	return pairs_size(&progs->object, progs->pending ? progs->pending : 1, size, &progs->pairs.pending_mask, err);
}

int progs_open(struct progs *progs, struct err *err)
{
	const struct progs_source *source = progs->source;
	struct object *object = &progs->object;
	int ret = object_open(object, source->object, err);

	if (!ret && source->config)
		ret = object_fill(object, ".rodata.config", source->config, source->config_size, err);
	for (size_t i = 0; !ret && i < source->n_maps; i++)
		ret = object_size_map(object, source->maps[i].name, *source->maps[i].entries, err);
	if (!ret && source->pairs)
		ret = resolve_pairs(progs, err);
	if (!ret && source->specs)
		ret = resolve_specs(progs, err);
	if (!ret)
		ret = size_pending(progs, err);
	return ret ? ret : filter_before(progs->instance, object, err);
}

static int make_images(struct progs *progs, struct err *err)
{
	const struct progs_source *source = progs->source;
	int ret = 0;

	if (source->pairs)
		return pairs_load(&progs->pairs, &progs->object, source->pairs->entry, source->pairs->ret,
				  source->pairs->session, err);
	progs->images = base_alloc((source->n_probes + 1) * sizeof(*progs->images));
	if (source->specs)
		return object_image(&progs->object, source->specs->program, &progs->images[0], err);
	for (size_t i = 0; !ret && i < source->n_probes; i++) {
		if (progs_first(source, i) != i)
			continue;
		ret = object_image(&progs->object, source->probes[i].program, &progs->images[i], err);
		if (!ret)
			image_patch_optional(&progs->images[i], PATCH_PENDING_MASK, progs->pairs.pending_mask);
	}
	return ret;
}

int progs_prepare(struct progs *progs, struct err *err)
{
	int ret = object_prepare(&progs->object, engine_keep(progs->instance), err);

	if (!ret)
		ret = make_images(progs, err);
	if (!ret && !progs->source->no_task)
		ret = filter_after(progs->instance, &progs->object, err);
	return ret;
}

void progs_attach_new(struct progs *progs)
{
	static const char *const began[] = { ".data.pending", "processor_since" };

	progs->attach = attach_new(&progs->set, &progs->options);
	for (size_t i = 0; i < ARRAY_SIZE(began); i++)
		if (object_has(&progs->object, began[i]))
			attach_clear_at_resume(progs->attach, object_map_fd(&progs->object, began[i]));
}

int progs_attach(struct progs *progs, struct err *err)
{
	const struct plan_step step = { .image = &progs->images[0] };

	if (!progs->source->pairs && !progs->source->specs)
		return progs_attach_table(progs, err);
	progs_attach_new(progs);
	if (progs->source->specs)
		return plan_run(progs->attach, &step, 1, err);
	return pairs_attach(&progs->pairs, progs->attach, &progs->set, err);
}

uint64_t progs_missed(const struct progs *progs, bool *known)
{
	const struct progs_probe *probe = progs->source->probes;
	size_t n = progs->set.n_slots;
	__free uint64_t *by_slot = base_alloc(n * sizeof(*by_slot));
	uint64_t missed = 0;

	*known = !attach_missed(progs->attach, by_slot, &missed);
	for (size_t i = 0; i < n; i++)
		missed += probe && probe[i].covered ? 0 : by_slot[i];
	return missed;
}

static void say_specs(const struct progs *progs)
{
	struct target_set set = progs->set;
	struct target_notes failed = {};

	probes_not_attached(progs->attach, &set, &failed);
	probes_say_left_out(progs->instance, &set, &failed);
	free(failed.v);
}

static void say_pairs(const struct progs *progs, uint64_t missed)
{
	struct target_set set = progs->set;
	struct target_notes failed = {};

	pairs_failed(progs->attach, &set, &failed);
	probes_say_left_out(progs->instance, &set, &failed);
	free(failed.v);
	pairs_say_losses(&progs->object, missed, progs->pending);
}

uint64_t progs_no_room(const struct progs *progs)
{
	if (!progs->source->pending.what)
		return 0;
	return object_word(&progs->object, ".data.losses", PENDING_NO_ROOM);
}

void progs_add_stats(const struct progs *progs, struct engine_stats *stats)
{
	stats->memory += object_bytes(&progs->object);
	if (progs->source->pairs)
		pairs_add_stats(&progs->object, stats);
	else if (progs->source->pending.what)
		engine_stats_add(stats, "no_room", progs_no_room(progs));
}

void progs_say_losses(const struct progs *progs, uint64_t missed)
{
	uint64_t no_room = progs_no_room(progs);

	if (progs->source->pairs)
		say_pairs(progs, missed);
	else if (progs->source->specs)
		say_specs(progs);
	else if (no_room)
		report_note("%llu not measured: more %s than there is room for (--max-pending)", (unsigned long long)no_room,
			    progs->source->pending.what);
}

void progs_release(struct progs *progs)
{
	attach_free(progs->attach);
	for (size_t i = 0; progs->images && i < progs->source->n_probes + 1; i++)
		image_release(&progs->images[i]);
	free(progs->images);
	pairs_release(&progs->pairs);
	object_release(&progs->object);
	target_set_release(&progs->set);
}
