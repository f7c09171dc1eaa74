// SPDX-License-Identifier: BSD-2-Clause
/* Attaches a tool's table of probes, each in the best way that this kernel has. */
#include <linux/perf_event.h>

#include "attach/plan.h"
#include "attach/quirks.h"
#include "base/report.h"
#include "probes.h"
#include "progs_instance.h"

#if defined(__x86_64__)
#define SYSCALL_FUNCTION "__x64_sys_"
#elif defined(__aarch64__)
#define SYSCALL_FUNCTION "__arm64_sys_"
#endif

static bool is_wanted(const struct progs_probe *probe)
{
	return !probe->when || *probe->when;
}

size_t progs_first(const struct progs_source *source, size_t i)
{
	for (size_t first = 0; first < i; first++)
		if (!strcmp(source->probes[first].program, source->probes[i].program))
			return first;
	return i;
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
	size_t first = progs_first(progs->source, i);

	for (size_t other = first; other < i; other++)
		if (progs_first(progs->source, other) == first && is_attached(progs, other))
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
	target->ret = target->unique = true;
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
	const struct progs_clock *clock = progs->source->probes[i].clock;
	const struct target_event event = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.period = clock->period,
		.exclude_idle = !clock->idle,
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
	int ret = probes_add_spec(&progs->set, probe->function ? probe->function : *probe->spec, i, &options, err);

	return probe->optional ? 0 : ret;
}

/* The function of a syscall and the tracepoint, which is the fallback, are both targets of the probe. */
static int add_targets(struct progs *progs, struct err *err)
{
	const struct progs_source *source = progs->source;
	int ret = 0;

	for (size_t i = 0; !ret && i < source->n_probes; i++) {
		const struct progs_probe *probe = &source->probes[i];

		if (!is_wanted(probe))
			continue;
		progs->options.arguments = progs->options.arguments || probe->function;
		if (probe->spec || probe->function) {
			ret = add_spec(progs, i, err);
			continue;
		}
		if (probe->syscall)
			add_syscall_function(progs, i);
		if (probe->clock)
			add_clock(progs, i);
		else
			add_tracepoint(progs, i);
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

		if (progs_first(progs->source, target->slot) != probe || step_of(progs, target) != which ||
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

/* The fallbacks come last, in their order. That a plan attaches nothing is no error yet. */
static int run_plans(struct progs *progs, struct err *err)
{
	int ret = run_plan(progs, 0, err);

	for (size_t i = 1; (!ret || ret == -ENOTSUP) && i < progs->source->n_probes; i++)
		if (progs->source->probes[i].otherwise && !is_served(progs, i))
			ret = run_plan(progs, i, err);
	return ret == -ENOTSUP ? 0 : ret;
}

/* Whether nothing better than the target is attached. */
static bool was_needed(const struct progs *progs, const struct target *target)
{
	if (plan_of(progs, target->slot) && is_served(progs, target->slot))
		return false;
	return step_of(progs, target) != STEP_FALLBACK || !is_attached(progs, target->slot);
}

static void say_not_attached(const struct progs *progs)
{
	for (size_t t = 0; t < progs->set.n; t++) {
		const struct target *target = &progs->set.v[t];

		if (was_needed(progs, target) && !attach_is_attached(progs->attach, t))
			report_verbose("cannot attach to '%s': %s", target->label, attach_why_not(progs->attach, t));
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

int progs_attach_table(struct progs *progs, struct err *err)
{
	const struct progs_source *source = progs->source;
	size_t attached = 0;
	int ret = add_targets(progs, err);

	if (ret)
		return ret;
	progs->set.n_slots = source->n_probes;
	progs_attach_new(progs);
	ret = run_plans(progs, err);
	if (ret)
		return ret;
	say_not_attached(progs);
	say_notes(progs);
	for (size_t i = 0; i < source->n_probes; i++) {
		attached += is_attached(progs, i);
		if (is_wanted(&source->probes[i]) && !source->probes[i].optional && !is_attached(progs, i))
			return say_failed(progs, i, err);
	}
	return attached ? 0 : say_failed(progs, 0, err);
}
