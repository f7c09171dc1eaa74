// SPDX-License-Identifier: BSD-2-Clause
/* Carries out a plan: chooses the targets of each step, and tries the mechanisms in the order of preference. */
#include "base/report.h"
#include "keep.h"
#include "mechanism.h"
#include "plan.h"
#include "switches.h"

/* Of more targets, the mechanism that is tried first has one program for all of them. */
#define AHEAD_MOST 64

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

static void choose_each(struct attach *attach, const struct plan_step *step, struct chosen *chosen)
{
	size_t n = step->targets ? step->n : attach->set->n;

	for (size_t i = 0; i < n; i++) {
		struct candidate *candidate = target_of(attach, step, i);

		if (!candidate->attached && !(step->fallback && slot_is_served(attach, candidate->target->slot)))
			choose(chosen, candidate, step->insist ? step->mech : MECH_AUTO);
	}
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
		choose_each(attach, step, &chosen);
		return attempt(attach, step, step->image, &chosen);
	case PLAN_PAIR:
		return run_pairs(attach, step, &chosen);
	case PLAN_SESSION:
		choose_open(attach, step, step->targets, &chosen);
		return attempt(attach, step, step->image, &chosen);
	}
	return 0;
}

static void leave_out(struct chosen *chosen, struct candidate **candidates, size_t n)
{
	size_t left = 0;

	for (size_t i = 0; i < chosen->n; i++) {
		bool is_one = false;

		for (size_t j = 0; j < n; j++)
			is_one = is_one || chosen->v[i] == candidates[j];
		if (!is_one)
			chosen->v[left++] = chosen->v[i];
	}
	chosen->n = left;
}

/* What attempt() will load first. */
static void look_ahead(struct attach *attach, const struct plan_step *step, const struct image *image, struct chosen *chosen,
		       struct ahead_list *list)
{
	__free struct candidate **candidates = base_alloc((chosen->n + 1) * sizeof(*candidates));

	attach->image = image;
	attach->only = step->mech;
	attach->session = false;
	for (size_t i = 0; chosen->n && i < ARRAY_SIZE(order); i++) {
		size_t n = sift(attach, order[i], chosen, candidates);

		ahead_add(list, attach, order[i], candidates, n);
		leave_out(chosen, candidates, n);
	}
}

/* Fallbacks are not for now: most are not needed. */
static void load_ahead(struct attach *attach, const struct plan_step *steps, size_t n, struct ahead_list *list)
{
	__free struct candidate **v = base_alloc((attach->set->n + 1) * sizeof(*v));

	if (attach->set->n > AHEAD_MOST)
		return;
	for (size_t i = 0; i < n; i++) {
		struct chosen chosen = { .v = v };

		if (steps[i].how != PLAN_EACH || steps[i].fallback)
			continue;
		choose_each(attach, &steps[i], &chosen);
		look_ahead(attach, &steps[i], steps[i].image, &chosen, list);
	}
	ahead_load(list, attach);
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
	struct ahead_list list = {};
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
	/* a process before us has left its copies, even if it was in a pause */
	if (!attach->adopted)
		load_ahead(attach, steps, n, &list);
	ret = plan_run_steps(attach, steps, n);
	ahead_end(&list, attach);
	if (ret)
		return err_set(err, -EINTR, "interrupted");
	return attach->attached > before || !n ? 0 : say_none(attach, steps, err);
}
