// SPDX-License-Identifier: BSD-2-Clause
/* A tool's table of probes to targets that are attached: the best way that this kernel has for each. */
#include "attach/plan.h"
#include "attach/quirks.h"
#include "base/report.h"
#include "event_probes.h"
#include "pairs.h"
#include "probes.h"

#if defined(__x86_64__)
#define SYSCALL_FUNCTION "__x64_sys_"
#elif defined(__aarch64__)
#define SYSCALL_FUNCTION "__arm64_sys_"
#endif

static bool is_wanted(const struct event_probe *probe)
{
	return !probe->when || *probe->when;
}

/* The first probe with the same program: its place is the number of the group. */
static uint32_t group_of(const struct event_source *source, size_t i)
{
	for (size_t first = 0; first < i; first++)
		if (!strcmp(source->probes[first].program, source->probes[i].program))
			return first;
	return i;
}

static bool is_attached(const struct event_probes *probes, size_t i)
{
	for (size_t t = 0; t < probes->set.n; t++)
		if (probes->set.v[t].slot == i && attach_is_attached(probes->attach, t))
			return true;
	return false;
}

static struct target *add_target(struct event_probes *probes, size_t i)
{
	struct target *target = vec_push(&probes->set);

	target->slot = i;
	return target;
}

/* The kernel's function of a syscall: no other syscall is slower for it, and it costs half of what a tracepoint does. */
static void add_syscall_function(struct event_probes *probes, size_t i)
{
	struct target *target = add_target(probes, i);

	target->kind = TARGET_KERNEL;
	target->ret = target->unique = true;
	target->label = target->name =
		pool_addf(&probes->set.pool, SYSCALL_FUNCTION "%s", probes->source->probes[i].syscall);
}

static void add_tracepoint(struct event_probes *probes, size_t i)
{
	const struct event_probe *probe = &probes->source->probes[i];
	struct target *target = add_target(probes, i);

	target->kind = TARGET_TRACEPOINT;
	target->object = probe->syscall ? "syscalls" : probe->system;
	target->name = probe->syscall ? pool_addf(&probes->set.pool, "sys_exit_%s", probe->syscall) : probe->name;
	target->label = pool_addf(&probes->set.pool, "%s:%s", target->object, target->name);
}

/* What a user could have typed; all that it matches belongs to this probe. */
static int add_spec(struct event_probes *probes, size_t i, struct err *err)
{
	const struct target_options options = { .pid = probes->pid };
	struct target_set found = {};
	size_t bad;
	int ret = target_resolve(probes->source->probes[i].spec, 1, &options, &found, &bad, err);

	probes_say_refused(&found);
	for (size_t t = 0; !ret && t < found.n; t++) {
		struct target *target = vec_push(&probes->set);

		*target = found.v[t];
		target->slot = i;
		target->name = pool_add(&probes->set.pool, target->name);
		target->object = target->object ? pool_add(&probes->set.pool, target->object) : NULL;
		target->label = pool_add(&probes->set.pool, target->label);
		target->returns = pool_copy(&probes->set.pool, target->returns, target->n_returns * sizeof(*target->returns));
	}
	vec_each(file, &found.files)
		*vec_push(&probes->set.files) = *file;
	found.files.n = 0;
	target_set_release(&found);
	return ret;
}

/* The function of a syscall, and the tracepoint to fall back to, are both targets of its probe. */
static int add_targets(struct event_probes *probes, struct err *err)
{
	const struct event_source *source = probes->source;
	int ret = 0;

	for (size_t i = 0; !ret && i < source->n_probes; i++) {
		const struct event_probe *probe = &source->probes[i];

		if (!is_wanted(probe))
			continue;
		if (probe->spec) {
			ret = add_spec(probes, i, err);
			continue;
		}
		if (probe->syscall)
			add_syscall_function(probes, i);
		add_tracepoint(probes, i);
	}
	return ret;
}

/* The step of its program's plan that a target belongs to. */
enum step {
	STEP_FUNCTIONS, /* of syscalls */
	STEP_RAW,
	STEP_ANY,
	STEP_FALLBACK, /* the tracepoint of a syscall */
	STEPS,
};

static enum step step_of(const struct event_probes *probes, const struct target *target)
{
	const struct event_probe *probe = &probes->source->probes[target->slot];

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
	uint32_t *targets; /* of all steps, one after the other */
	size_t n_targets;
};

/* The step of the program that the probe is the first of, if it has targets in it. */
static void add_step(const struct event_probes *probes, size_t probe, enum step which, struct plan *plan)
{
	struct plan_step *step = &plan->v[plan->n];

	*step = choices[which];
	/* on a preemptible kernel trampolines skip hits, kprobes do not */
	if (which == STEP_FUNCTIONS)
		step->mech = quirk_preemptible() ? MECH_KPROBE_MULTI : MECH_FENTRY;
	step->image = &probes->images[probe];
	step->targets = plan->targets + plan->n_targets;
	for (size_t t = 0; t < probes->set.n; t++) {
		const struct target *target = &probes->set.v[t];

		if (group_of(probes->source, target->slot) != probe || step_of(probes, target) != which)
			continue;
		plan->targets[plan->n_targets++] = t;
		step->n++;
	}
	plan->n += step->n > 0;
}

/*
 * The probes of one program together: what the kernel's BTF says of their functions is then looked up once. No program falls back
 * before all have tried what is better.
 */
static int run_plan(struct event_probes *probes, struct err *err)
{
	size_t n = probes->source->n_probes;
	__free struct plan_step *steps = base_alloc((n * STEPS + 1) * sizeof(*steps));
	__free uint32_t *targets = base_alloc(probes->set.n * sizeof(*targets));
	struct plan plan = { .v = steps, .targets = targets };

	for (size_t i = 0; i < n; i++)
		for (enum step step = 0; step < STEP_FALLBACK; step++)
			add_step(probes, i, step, &plan);
	for (size_t i = 0; i < n; i++)
		add_step(probes, i, STEP_FALLBACK, &plan);
	return plan_run(probes->attach, steps, plan.n, err);
}

static void say_not_attached(const struct event_probes *probes)
{
	for (size_t t = 0; t < probes->set.n; t++) {
		const struct target *target = &probes->set.v[t];
		bool needed = step_of(probes, target) != STEP_FALLBACK || !is_attached(probes, target->slot);

		if (needed && !attach_is_attached(probes->attach, t))
			report_verbose("cannot attach to '%s': %s", target->label, attach_why_not(probes->attach, t));
	}
}

/* Why the last target of the probe is not attached: those before it were better ways to the same place. */
static int say_failed(const struct event_probes *probes, size_t i, struct err *err)
{
	for (size_t t = probes->set.n; t--;)
		if (probes->set.v[t].slot == i)
			return err_set(err, -ENOTSUP, "cannot attach to '%s': %s", probes->set.v[t].label,
				       attach_why_not(probes->attach, t));
	return err_set(err, -EINVAL, "the tool has nothing to attach to");
}

/* Functions to targets, with their numbers in the object's tables. */
static int resolve_pairs(struct engine_instance *instance, struct event_probes *probes,
			 struct attach_options *options, struct err *err)
{
	const struct event_pairs *pairs = probes->source->pairs;
	const struct probes_settings settings = {
		.regex = *pairs->regex, .mangled = *pairs->mangled, .force = *pairs->force, .both = true
	};
	int ret = probes_resolve(instance, &settings, "trace", &probes->set, err);

	options->registers = true;
	if (!ret)
		ret = pairs_make(&probes->set, err);
	if (!ret)
		ret = pairs_size(&probes->object, *pairs->calls, pairs->cell, &probes->pairs.pending_mask, err);
	return ret ? ret : object_fill_slots(&probes->object, &probes->set, err);
}

int event_probes_resolve(struct engine_instance *instance, struct event_probes *probes,
			 struct attach_options *options, struct err *err)
{
	return probes->source->pairs ? resolve_pairs(instance, probes, options, err) : 0;
}

int event_probes_load(struct event_probes *probes, struct err *err)
{
	const struct event_source *source = probes->source;
	int ret = 0;

	if (source->pairs)
		return pairs_load(&probes->pairs, &probes->object, source->pairs->entry, source->pairs->ret,
				  source->pairs->session, err);
	probes->images = base_alloc(source->n_probes * sizeof(*probes->images));
	for (size_t i = 0; !ret && i < source->n_probes; i++)
		if (group_of(source, i) == i)
			ret = object_image(&probes->object, source->probes[i].program, &probes->images[i], err);
	return ret;
}

void event_probes_say_losses(struct engine_instance *instance, const struct event_probes *probes, uint64_t missed)
{
	struct target_set set = probes->set;
	struct target_notes failed = {};

	pairs_failed(probes->attach, &set, &failed);
	probes_say_left_out(instance, &set, &failed);
	free(failed.v);
	pairs_say_losses(&probes->object, missed, *probes->source->pairs->calls);
}

int event_probes_attach(struct event_probes *probes, const struct attach_options *options, struct err *err)
{
	const struct event_source *source = probes->source;
	size_t attached = 0;
	int ret = source->pairs ? 0 : add_targets(probes, err);

	if (ret)
		return ret;
	probes->attach = attach_new(&probes->set, options);
	if (source->pairs)
		return pairs_attach(&probes->pairs, probes->attach, &probes->set, err);
	ret = run_plan(probes, err);
	if (ret && ret != -ENOTSUP)
		return ret;
	say_not_attached(probes);
	for (size_t i = 0; i < source->n_probes; i++) {
		attached += is_attached(probes, i);
		if (is_wanted(&source->probes[i]) && !source->probes[i].optional && !is_attached(probes, i))
			return say_failed(probes, i, err);
	}
	return attached ? 0 : say_failed(probes, 0, err);
}

uint64_t event_probes_missed(const struct event_probes *probes, bool *known)
{
	const struct event_probe *probe = probes->source->probes;
	const size_t *slots = probes->source->pairs ? &probes->set.n_slots : &probes->source->n_probes;
	size_t n = *slots;
	__free uint64_t *by_slot = base_alloc(n * sizeof(*by_slot));
	uint64_t missed = 0;

	*known = !attach_missed(probes->attach, by_slot, &missed);
	for (size_t i = 0; i < n; i++)
		missed += probe && probe[i].covered ? 0 : by_slot[i];
	return missed;
}

void event_probes_release(struct event_probes *probes)
{
	attach_free(probes->attach);
	for (size_t i = 0; probes->images && i < probes->source->n_probes; i++)
		image_release(&probes->images[i]);
	free(probes->images);
	pairs_release(&probes->pairs);
	object_release(&probes->object);
	target_set_release(&probes->set);
}
