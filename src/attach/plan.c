// SPDX-License-Identifier: BSD-2-Clause
/* Carries out a plan: chooses the targets of each step, and tries the mechanisms in the order of preference. */
#include "base/report.h"
#include "keep.h"
#include "mechanism.h"
#include "plan.h"
#include "switches.h"

/* For each kind, from the best to the last. */
static const struct mechanism *const order[] = {
	&mechanism_fentry,
	&mechanism_fsession_multi,
	&mechanism_fentry_multi,
	&mechanism_kprobe_session,
	&mechanism_kprobe_multi,
	&mechanism_kprobe,
	&mechanism_raw_tp,
	&mechanism_tp,
	&mechanism_uprobe_multi,
	&mechanism_uprobe,
	&mechanism_event,
};

/* The targets of one attempt. */
struct chosen {
	struct candidate **v;
	size_t n;
};

static bool may_serve(const struct attach *attach, const struct mechanism *mechanism, const struct candidate *candidate)
{
	enum mech asked = attach_asked(attach, candidate);

	if (attach->pauses.resuming && (!candidate->paused || candidate->by != mechanism->mech))
		return false;
	return !candidate->attached && candidate->target->kind == mechanism->kind && attach->session == mechanism->session &&
	       (!attach->only || attach->only == mechanism->mech) && (!asked || asked == mechanism->mech);
}

/* Chooses the targets that the mechanism can be tried for; the others get the reason. */
static size_t sift(struct attach *attach, const struct mechanism *mechanism, const struct chosen *chosen,
		   struct candidate **to)
{
	struct switches switches = {};
	size_t could = 0, n = 0;

	for (size_t i = 0; i < chosen->n; i++)
		could += may_serve(attach, mechanism, chosen->v[i]);
	for (size_t i = 0; could && i < chosen->n; i++) {
		struct candidate *candidate = chosen->v[i];
		const char *why;

		if (!may_serve(attach, mechanism, candidate))
			continue;
		why = attach->pauses.resuming ? NULL : mechanism->refuses(attach, candidate, could);
		why = why ? why : switches_off(&switches, mechanism->mech, candidate->target);
		if (why)
			candidate->why_not = why; /* the last mechanism's reason is the most useful one */
		else
			to[n++] = candidate;
	}
	return n;
}

static int try_mechanism(struct attach *attach, const struct mechanism *mechanism, const struct chosen *chosen)
{
	__free struct candidate **candidates = base_alloc(chosen->n * sizeof(*candidates));
	size_t n = sift(attach, mechanism, chosen, candidates);
	struct err err = {};
	int ret = n ? mechanism->attach(attach, candidates, n, &err) : 0;

	if (ret == -EINTR || !ret)
		return ret;
	report_verbose("%s: %s", mech_names[mechanism->mech], err.text);
	for (size_t i = 0; i < n; i++)
		if (!candidates[i]->attached)
			candidates[i]->why_not = pool_add(&attach->reasons, err.text);
	return 0;
}

static const char *kind_of(const struct target *target)
{
	switch (target->kind) {
	case TARGET_KERNEL:
		return "a kernel function";
	case TARGET_TRACEPOINT:
		return "a tracepoint";
	case TARGET_EVENT:
		return "an event that perf counts";
	default:
		return target->usdt ? "a USDT probe" : "a user function";
	}
}

/* The user asked for a mechanism that attaches to targets of another kind. */
static void say_unserved(struct attach *attach, const struct chosen *chosen)
{
	for (size_t i = 0; i < chosen->n; i++) {
		struct candidate *candidate = chosen->v[i];
		enum mech asked = attach_asked(attach, candidate);

		if (asked && !candidate->attached && !candidate->why_not)
			candidate->why_not = pool_addf(&attach->reasons, "%s cannot attach to %s", mech_names[asked],
						       kind_of(candidate->target));
	}
}

/* Attaches copies of one image to the chosen targets. */
static int attempt(struct attach *attach, const struct plan_step *step, const struct image *image,
		   const struct chosen *chosen)
{
	attach->image = image;
	attach->only = step->mech;
	attach->session = step->how == PLAN_SESSION;
	for (size_t i = 0; i < ARRAY_SIZE(order); i++) {
		int ret = try_mechanism(attach, order[i], chosen);

		if (ret)
			return ret;
	}
	say_unserved(attach, chosen);
	return 0;
}

void plan_attach_one(struct attach *attach, const struct image *image, struct candidate *candidate)
{
	const struct plan_step step = { .how = PLAN_EACH };
	const struct chosen chosen = { &candidate, 1 };

	attempt(attach, &step, image, &chosen);
}

static void choose(struct chosen *chosen, struct candidate *candidate, enum mech asked)
{
	candidate->asked = asked;
	chosen->v[chosen->n++] = candidate;
}

static bool slot_is_served(const struct attach *attach, uint32_t slot)
{
	for (size_t i = 0; i < attach->set->n; i++)
		if (attach->set->v[i].slot == slot && attach->candidates[i].attached)
			return true;
	return false;
}

static struct candidate *target_of(const struct attach *attach, const struct plan_step *step, size_t i)
{
	return &attach->candidates[step->targets ? step->targets[i] : i];
}

static int run_each(struct attach *attach, const struct plan_step *step, struct chosen *chosen)
{
	size_t n = step->targets ? step->n : attach->set->n;

	for (size_t i = 0; i < n; i++) {
		struct candidate *candidate = target_of(attach, step, i);

		if (!candidate->attached && !(step->fallback && slot_is_served(attach, candidate->target->slot)))
			choose(chosen, candidate, step->insist ? step->mech : MECH_AUTO);
	}
	return attempt(attach, step, step->image, chosen);
}

/* Chooses from `ends` the ends of functions that have two and to which no step has attached anything. */
static void choose_open(struct attach *attach, const struct plan_step *step, const uint32_t *ends, struct chosen *chosen)
{
	for (size_t i = 0; i < step->n; i++)
		if (!target_of(attach, step, i)->target->endless && !attach_is_attached(attach, step->targets[i]) &&
		    !attach_is_attached(attach, step->returns[i]))
			choose(chosen, &attach->candidates[ends[i]], step->insist ? step->mech : MECH_AUTO);
}

static int run_pairs(struct attach *attach, const struct plan_step *step, struct chosen *chosen)
{
	struct plan_step any = *step;
	int ret;

	choose_open(attach, step, step->returns, chosen);
	ret = attempt(attach, step, step->ret, chosen);
	if (ret)
		return ret;
	chosen->n = 0;
	for (size_t i = 0; i < step->n; i++) {
		const struct candidate *end = &attach->candidates[step->returns[i]];

		if (attach_is_attached(attach, step->targets[i]))
			continue;
		if (end->target->endless)
			choose(chosen, target_of(attach, step, i), step->mech);
		else if (end->attached)
			choose(chosen, target_of(attach, step, i), end->by);
	}
	any.mech = MECH_AUTO;
	return attempt(attach, &any, step->image, chosen);
}

static int run_step(struct attach *attach, const struct plan_step *step)
{
	__free struct candidate **v = base_alloc(attach->set->n * sizeof(*v));
	struct chosen chosen = { .v = v };

	switch (step->how) {
	case PLAN_EACH:
		return run_each(attach, step, &chosen);
	case PLAN_PAIR:
		return run_pairs(attach, step, &chosen);
	case PLAN_SESSION:
		choose_open(attach, step, step->targets, &chosen);
		return attempt(attach, step, step->image, &chosen);
	}
	return 0;
}

static int check(const struct plan_step *step, struct err *err)
{
	int ret = image_check(step->image, err);

	return ret || !step->ret ? ret : image_check(step->ret, err);
}

/* Sets err to the reason why the first target is not attached. */
static int say_none(const struct attach *attach, const struct plan_step *step, struct err *err)
{
	const struct candidate *first = target_of(attach, step, 0);
	enum mech asked = attach_asked(attach, first);

	return err_set(err, -ENOTSUP, "cannot attach to '%s'%s%s: %s", first->target->label, asked ? " by " : "",
		       asked ? mech_names[asked] : "", attach_why_not(attach, first - attach->candidates));
}

int plan_run_steps(struct attach *attach, const struct plan_step *steps, size_t n)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < n; i++)
		ret = run_step(attach, &steps[i]);
	return ret;
}

int plan_run(struct attach *attach, const struct plan_step *steps, size_t n, struct err *err)
{
	size_t before = attach->attached;
	int ret = 0;

	for (size_t i = 0; !ret && i < n; i++)
		ret = check(&steps[i], err);
	if (ret)
		return ret;
	ret = keep_attach_adopt(attach->options.keep, attach, err);
	if (!ret)
		ret = pause_is_adopted(attach, err);
	pause_add_plan(attach, steps, n);
	if (!ret)
		return attach->attached || !n ? 0 : say_none(attach, steps, err);
	if (ret != -ENOENT)
		return ret;
	if (plan_run_steps(attach, steps, n))
		return err_set(err, -EINTR, "interrupted");
	return attach->attached > before || !n ? 0 : say_none(attach, steps, err);
}
