// SPDX-License-Identifier: BSD-2-Clause
/*
 * The object of a tool's programs: configured, opened, prepared, attached, each probe in the best way that this kernel
 * has, and released.
 */
#include <linux/perf_event.h>

#include "attach/plan.h"
#include "attach/quirks.h"
#include "base/report.h"
#include "bpf/pending.h"
#include "filter.h"
#include "probes.h"
#include "progs_life.h"

#if defined(__x86_64__)
#define SYSCALL_FUNCTION "__x64_sys_"
#elif defined(__aarch64__)
#define SYSCALL_FUNCTION "__arm64_sys_"
#endif

/* If hits belong to no task, only the time during which a command runs matters, not its tasks. */
static void forget_task(struct filter *filter)
{
	filter->by_members = 0;
	filter->any = filter->by_cpu;
}

int progs_configure(struct progs *progs, struct err *err)
{
	int ret = 0;

	progs->own = *progs->source;
	progs->source = &progs->own;
	if (progs->own.configure)
		ret = progs->own.configure(progs->instance, &progs->own, err);
	if (progs->source->no_task)
		forget_task(&progs->instance->filter);
	progs->instance->ctx->usage = progs->instance->ctx->usage || ret == -EINVAL;
	return ret;
}

const void *progs_config(const struct progs *progs)
{
	return setting_at(progs->settings, progs->source->config);
}

/* Resolves functions to targets; the programs find their slots in the object's tables. */
static int resolve_pairs(struct progs *progs, struct err *err)
{
	const struct probes_settings *given = setting_at(progs->settings, progs->source->pairs->settings);
	struct probes_settings settings = *given;
	int ret;

	settings.both = true;
	progs->options.arguments = true;
	progs->options.mech = settings.mech;
	ret = probes_resolve(progs->instance, &settings, "trace", &progs->set, err);
	if (!ret)
		ret = pairs_make(&progs->set, progs->source->pairs->freed, err);
	return ret ? ret : object_fill_slots(&progs->object, &progs->set, err);
}

static int resolve_specs(struct progs *progs, struct err *err)
{
	const struct progs_specs *specs = progs->source->specs;
	const struct probes_settings *settings = setting_at(progs->settings, specs->settings);
	int ret = probes_resolve(progs->instance, settings, specs->what, &progs->set, err);

	progs->options.mech = settings->mech;
	progs->options.registers = specs->registers;
	return ret ? ret : object_fill_slots(&progs->object, &progs->set, err);
}

static int size_pending(struct progs *progs, struct err *err)
{
	const struct progs_pending *pending = &progs->source->pending;
	size_t size = pending->size ? pending->size : sizeof(struct pending);
	const uint32_t *instead = setting_at(progs->settings, pending->instead);

	if (!object_has(&progs->object, ".data.pending"))
		return 0;
	if (!progs->pending && instead)
		progs->pending = *instead;
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
		ret = object_fill(object, ".rodata.config", progs_config(progs), source->config_size, err);
	for (size_t i = 0; !ret && i < source->n_maps; i++) {
		const uint32_t *entries = setting_at(progs->settings, source->maps[i].entries);

		ret = object_size_map(object, source->maps[i].name, *entries, err);
	}
	if (!ret && source->pairs)
		ret = resolve_pairs(progs, err);
	if (!ret && source->specs)
		ret = resolve_specs(progs, err);
	if (!ret)
		ret = size_pending(progs, err);
	return ret ? ret : filter_before(progs->instance, object, err);
}

/* The index of the first probe with the same program. */
static size_t first_of(const struct progs_source *source, size_t i)
{
	for (size_t first = 0; first < i; first++)
		if (!strcmp(source->probes[first].program, source->probes[i].program))
			return first;
	return i;
}

static int make_images(struct progs *progs, struct err *err)
{
	const struct progs_source *source = progs->source;
	int ret = 0;

	if (source->pairs) {
		ret = freed_load(&progs->freed, &progs->object, source->pairs->freed, err);
		if (ret)
			return ret;
		return pairs_load(&progs->pairs, &progs->object, source->pairs->entry, source->pairs->ret,
				  source->pairs->session, err);
	}
	progs->images = base_alloc((source->n_probes + 1) * sizeof(*progs->images));
	if (source->specs)
		return object_image(&progs->object, source->specs->program, &progs->images[0], err);
	for (size_t i = 0; !ret && i < source->n_probes; i++) {
		if (first_of(source, i) != i)
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

/* Sets progs->attach, which has attached nothing yet. */
static void prepare_attach(struct progs *progs)
{
	static const char *const began[] = { ".data.pending", "processor_since" };

	progs->attach = attach_new(&progs->set, &progs->options);
	for (size_t i = 0; i < ARRAY_SIZE(began); i++)
		if (object_has(&progs->object, began[i]))
			attach_clear_at_resume(progs->attach, object_map_fd(&progs->object, began[i]));
}

static bool is_wanted(const struct progs *progs, const struct progs_probe *probe)
{
	return setting_is(progs->settings, probe->when, true);
}

static bool is_attached(const struct progs *progs, size_t i)
{
	for (size_t t = 0; t < progs->set.n; t++)
		if (progs->set.v[t].slot == i && attach_is_attached(progs->attach, t))
			return true;
	return false;
}

/* Whether a probe above probe i that has the same program is attached. */
static bool is_served(const struct progs *progs, size_t i)
{
	size_t first = first_of(progs->source, i);

	for (size_t other = first; other < i; other++)
		if (first_of(progs->source, other) == first && is_attached(progs, other))
			return true;
	return false;
}

static struct target *add_target(struct progs *progs, size_t i)
{
	struct target *target = vec_push(&progs->set);

	target->slot = i;
	return target;
}

/* The kernel's function of a syscall: half the cost of a tracepoint, and no other syscall gets slower. */
static void add_syscall_function(struct progs *progs, size_t i)
{
	struct target *target = add_target(progs, i);

	target->kind = TARGET_KERNEL;
	target->ret = target->unique = target->alone = true;
	target->label = target->name =
		pool_addf(&progs->set.pool, SYSCALL_FUNCTION "%s", progs->source->probes[i].syscall);
}

static void add_tracepoint(struct progs *progs, size_t i)
{
	const struct progs_probe *probe = &progs->source->probes[i];
	struct target *target = add_target(progs, i);

	target->kind = TARGET_TRACEPOINT;
	target->object = probe->syscall ? "syscalls" : probe->system;
	target->name = probe->syscall ? pool_addf(&progs->set.pool, "sys_exit_%s", probe->syscall) : probe->name;
	target->label = pool_addf(&progs->set.pool, "%s:%s", target->object, target->name);
}

static void add_clock(struct progs *progs, size_t i)
{
	const struct progs_clock *clock = setting_at(progs->settings, progs->source->probes[i].clock);
	const struct target_event event = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.period = clock->period,
		.exclude_idle = !clock->idle,
		.cpus = clock->cpus,
	};
	struct target *target = add_target(progs, i);

	target->kind = TARGET_EVENT;
	target->event = pool_copy(&progs->set.pool, &event, sizeof(event));
	target->label = target->name = "the clock of each processor";
}

/* A spec as a user types it; all its targets belong to this probe. */
static int add_spec(struct progs *progs, size_t i, struct err *err)
{
	const struct progs_probe *probe = &progs->source->probes[i];
	const struct target_options options = { .pid = progs->instance->ctx->pid };
	const char *const *spec = setting_at(progs->settings, probe->spec);
	int ret = probes_add_spec(&progs->set, spec ? *spec : probe->function, i, &options, err);

	return probe->optional ? 0 : ret;
}

/* The function of a syscall and the tracepoint, which is the fallback, are both targets of the probe. */
static int add_probe(struct progs *progs, size_t i, struct err *err)
{
	const struct progs_probe *probe = &progs->source->probes[i];

	if (probe->spec || probe->function)
		return add_spec(progs, i, err);
	if (probe->syscall)
		add_syscall_function(progs, i);
	if (probe->clock)
		add_clock(progs, i);
	else
		add_tracepoint(progs, i);
	return 0;
}

/*
 * A fallback is looked up when it is needed, for the list of the kernel's symbols takes longer to read than all else. What
 * is kept for the next process must have the same targets there.
 */
static bool is_for_later(const struct progs *progs, const struct progs_probe *probe)
{
	return probe->otherwise && !engine_keep(progs->instance);
}

static int add_targets(struct progs *progs, struct err *err)
{
	const struct progs_source *source = progs->source;
	int ret = 0;

	for (size_t i = 0; !ret && i < source->n_probes; i++) {
		const struct progs_probe *probe = &source->probes[i];

		if (!is_wanted(progs, probe))
			continue;
		progs->options.arguments = progs->options.arguments || probe->function;
		if (!is_for_later(progs, probe))
			ret = add_probe(progs, i, err);
	}
	return ret;
}

/* Returns the step of its program's plan that a target belongs to. */
enum step {
	STEP_FUNCTIONS, /* of syscalls */
	STEP_RAW,
	STEP_ANY,
	STEP_FALLBACK, /* the tracepoint of a syscall */
	STEPS,
};

static enum step step_of(const struct progs *progs, const struct target *target)
{
	const struct progs_probe *probe = &progs->source->probes[target->slot];

	if (probe->syscall)
		return target->kind == TARGET_KERNEL ? STEP_FUNCTIONS : STEP_FALLBACK;
	return probe->raw ? STEP_RAW : STEP_ANY;
}

static const struct plan_step choices[STEPS] = {
	[STEP_FUNCTIONS] = { .insist = true },
	[STEP_RAW] = { .mech = MECH_RAW_TP, .insist = true },
	[STEP_FALLBACK] = { .fallback = true },
};

struct plan {
	struct plan_step *v;
	size_t n;
	uint32_t *targets; /* the targets of all steps, one step after the other */
	size_t n_targets;
};

/* The number of a probe's plan: each fallback has a plan of its own, all other probes have plan 0. */
static size_t plan_of(const struct progs *progs, size_t i)
{
	return progs->source->probes[i].otherwise ? i : 0;
}

/* Adds a step for the program whose first probe this is, if the step has targets in this plan. */
static void add_step(const struct progs *progs, size_t probe, enum step which, size_t number, struct plan *plan)
{
	struct plan_step *step = &plan->v[plan->n];

	*step = choices[which];
	/* on a preemptible kernel trampolines skip hits, kprobes do not */
	if (which == STEP_FUNCTIONS)
		step->mech = quirk_preemptible() ? MECH_KPROBE_MULTI : MECH_FENTRY;
	step->image = &progs->images[probe];
	step->targets = plan->targets + plan->n_targets;
	for (size_t t = 0; t < progs->set.n; t++) {
		const struct target *target = &progs->set.v[t];

		if (first_of(progs->source, target->slot) != probe || step_of(progs, target) != which ||
		    plan_of(progs, target->slot) != number)
			continue;
		plan->targets[plan->n_targets++] = t;
		step->n++;
	}
	plan->n += step->n > 0;
}

/*
 * Attaches the probes of one program together, so that their functions are looked up in the kernel's BTF once. No
 * program falls back before all have tried the better way.
 */
static int run_plan(struct progs *progs, size_t number, struct err *err)
{
	size_t n = progs->source->n_probes;
	__free struct plan_step *steps = base_alloc((n * STEPS + 1) * sizeof(*steps));
	__free uint32_t *targets = base_alloc(progs->set.n * sizeof(*targets));
	struct plan plan = { .v = steps, .targets = targets };

	for (size_t i = 0; i < n; i++)
		for (enum step step = 0; step < STEP_FALLBACK; step++)
			add_step(progs, i, step, number, &plan);
	for (size_t i = 0; i < n; i++)
		add_step(progs, i, STEP_FALLBACK, number, &plan);
	return plan_run(progs->attach, steps, plan.n, err);
}

static int run_fallback(struct progs *progs, size_t i, struct err *err)
{
	const struct progs_probe *probe = &progs->source->probes[i];
	int ret = 0;

	if (!is_wanted(progs, probe) || is_served(progs, i))
		return 0;
	if (is_for_later(progs, probe)) {
		ret = add_probe(progs, i, err);
		attach_grow(progs->attach);
	}
	return ret ? ret : run_plan(progs, i, err);
}

/* The fallbacks come last, in their order. That a plan attaches nothing is no error yet. */
static int run_plans(struct progs *progs, struct err *err)
{
	int ret = run_plan(progs, 0, err);

	for (size_t i = 1; (!ret || ret == -ENOTSUP) && i < progs->source->n_probes; i++)
		if (progs->source->probes[i].otherwise)
			ret = run_fallback(progs, i, err);
	return ret == -ENOTSUP ? 0 : ret;
}

/* Whether nothing better than the target is attached. */
static bool was_needed(const struct progs *progs, const struct target *target)
{
	if (plan_of(progs, target->slot) && is_served(progs, target->slot))
		return false;
	return step_of(progs, target) != STEP_FALLBACK || !is_attached(progs, target->slot);
}

/* The tracepoint of a syscall is there for its own function, a fallback for the probes above it. */
static bool stands_in_for(const struct progs *progs, const struct target *other, const struct target *target)
{
	if (step_of(progs, other) == STEP_FALLBACK)
		return other->slot == target->slot;
	return progs->source->probes[other->slot].otherwise &&
	       first_of(progs->source, other->slot) == first_of(progs->source, target->slot);
}

/* What stands in for a target that is not attached. NULL: nothing. */
static const char *stand_in_of(const struct progs *progs, const struct target *target)
{
	for (size_t t = 0; t < progs->set.n; t++) {
		const struct target *other = &progs->set.v[t];

		if (other != target && stands_in_for(progs, other, target) && attach_is_attached(progs->attach, t))
			return other->label;
	}
	return NULL;
}

static void say_not_attached(const struct progs *progs)
{
	for (size_t t = 0; t < progs->set.n; t++) {
		const struct target *target = &progs->set.v[t];

		const char *program = progs->source->probes[target->slot].program, *other;

		if (!was_needed(progs, target) || attach_is_attached(progs->attach, t))
			continue;
		other = stand_in_of(progs, target);
		report_verbose("cannot attach to '%s': %s", target->label, attach_why_not(progs->attach, t));
		if (other)
			report_verbose("program '%s' is at '%s' in place of '%s'", program, other, target->label);
		else
			report_verbose("program '%s' is not at '%s', and nothing takes its place", program, target->label);
	}
}

static void say_notes(const struct progs *progs)
{
	for (size_t i = 0; i < progs->source->n_probes; i++)
		if (progs->source->probes[i].note && is_attached(progs, i))
			report_note("%s", progs->source->probes[i].note);
}

/* Returns why the last target of the probe is not attached: the ones before it are better ways to the same place. */
static int say_failed(const struct progs *progs, size_t i, struct err *err)
{
	for (size_t t = progs->set.n; t--;)
		if (progs->set.v[t].slot == i)
			return err_set(err, -ENOTSUP, "cannot attach to '%s': %s", progs->set.v[t].label,
				       attach_why_not(progs->attach, t));
	return err_set(err, -EINVAL, "the tool has nothing to attach to");
}

static int attach_table(struct progs *progs, struct err *err)
{
	const struct progs_source *source = progs->source;
	size_t attached = 0;
	int ret = add_targets(progs, err);

	if (ret)
		return ret;
	progs->set.n_slots = source->n_probes;
	prepare_attach(progs);
	ret = run_plans(progs, err);
	if (ret)
		return ret;
	say_not_attached(progs);
	say_notes(progs);
	for (size_t i = 0; i < source->n_probes; i++) {
		attached += is_attached(progs, i);
		if (is_wanted(progs, &source->probes[i]) && !source->probes[i].optional && !is_attached(progs, i))
			return say_failed(progs, i, err);
	}
	return attached ? 0 : say_failed(progs, 0, err);
}

/* Without the program for freed tasks, what never returned comes at the end. */
static int attach_pairs(struct progs *progs, struct err *err)
{
	struct err why = {};

	if (freed_attach(&progs->freed, &progs->options, &why))
		report_verbose("ends of threads: %s", why.text);
	return pairs_attach(&progs->pairs, progs->attach, &progs->set, err);
}

int progs_attach(struct progs *progs, struct err *err)
{
	const struct plan_step step = { .image = &progs->images[0] };

	if (!progs->source->pairs && !progs->source->specs)
		return attach_table(progs, err);
	prepare_attach(progs);
	if (progs->source->specs)
		return plan_run(progs->attach, &step, 1, err);
	return attach_pairs(progs, err);
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

static uint64_t say_pairs(const struct progs *progs, uint64_t missed)
{
	struct target_set set = progs->set;
	struct target_notes failed = {};
	uint64_t returns = probes_say_missed_returns(progs->instance, progs->attach, "calls not measured");

	pairs_failed(progs->attach, &set, &failed);
	probes_say_left_out(progs->instance, &set, &failed);
	free(failed.v);
	pairs_say_losses(&progs->object, missed + returns, progs->pending);
	pairs_say_leaves(progs->attach, &set);
	return returns;
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

uint64_t progs_say_losses(const struct progs *progs, uint64_t missed)
{
	uint64_t no_room = progs_no_room(progs);

	if (progs->source->pairs)
		return say_pairs(progs, missed);
	if (progs->source->specs)
		say_specs(progs);
	else if (no_room)
		report_note("%llu not measured: more %s than there is room for%s", (unsigned long long)no_room,
			    progs->source->pending.what, progs->source->pending.fixed ? "" : " (--max-pending)");
	return 0;
}

void progs_release(struct progs *progs)
{
	attach_free(progs->attach);
	freed_release(&progs->freed);
	for (size_t i = 0; progs->images && i < progs->source->n_probes + 1; i++)
		image_release(&progs->images[i]);
	free(progs->images);
	pairs_release(&progs->pairs);
	object_release(&progs->object);
	target_set_release(&progs->set);
}
