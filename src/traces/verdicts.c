// SPDX-License-Identifier: BSD-2-Clause
/* The rules. Each gives a verdict and the reason in words. */
#include "verdicts.h"

#define STEP(VERDICT, WHY) ((struct trace_step){ .verdict = VERDICT, .why = WHY })

bool trace_is_named(const struct trace_item *item, const char *owner)
{
	const char *name = item->owner.tool;

	if (!name && trace_is_event(item))
		name = item->group;
	if (item->kind == TRACE_INSTANCE)
		name = item->name;
	return name && !strcmp(name, owner);
}

static bool is_named(const struct trace_item *item, const struct trace_policy *policy)
{
	return policy->owner && trace_is_named(item, policy->owner);
}

static bool is_forced(const struct trace_item *item, const struct trace_policy *policy)
{
	return policy->force && (!policy->owner || is_named(item, policy));
}

/* For events whose name does not identify a process: if the event is used, its user is unknown. */
static struct trace_step judge_unused(const struct trace_item *item)
{
	if (item->users)
		return STEP(TRACE_UNRELATED, "in use, but its user is unknown");
	return STEP(TRACE_TRY, "nothing in tracefs uses it");
}

static struct trace_step judge_event(const struct trace_item *item, const struct trace_policy *policy)
{
	const struct trace_owner *owner = &item->owner;

	if (is_forced(item, policy))
		return STEP(TRACE_CLEAN, "forced");
	if (owner->state == OWNER_ALIVE)
		return STEP(TRACE_OWNED, "a process with its owner's id is alive");
	if (owner->state == OWNER_UNSEEN)
		return STEP(TRACE_OWNED, "its owner may be alive outside this pid namespace");
	if (is_named(item, policy))
		return STEP(TRACE_CLEAN, "its owner was named");
	if (owner->state == OWNER_REUSED)
		return STEP(TRACE_OWNED, "a process with its owner's id is alive, though another command");
	if (owner->state == OWNER_DEAD && !owner->guess)
		return STEP(TRACE_CLEAN, "its owner is dead");
	if (owner->tool && !strcmp(owner->tool, "perf"))
		return STEP(TRACE_OWNED, "perf probe's events stay until they are deleted");
	if (owner->guess)
		return STEP(TRACE_OWNED, "people choose such names as well");
	if (!owner->tool)
		return STEP(TRACE_UNRELATED, "no known tool uses such names: name its group with --owner");
	return judge_unused(item);
}

/* A setting of a dynamic event is removed or stays together with the event. */
static struct trace_step judge_use(const struct trace_item *item, const struct trace_verdicts *verdicts,
				   const struct trace_policy *policy)
{
	const struct trace_step *event = item->event < 0 ? NULL : &verdicts->v[item->event];

	if (!event)
		return is_forced(item, policy) ? STEP(TRACE_CLEAN, "forced")
					       : STEP(TRACE_UNRELATED, "set, but its owner is unknown");
	if (event->verdict == TRACE_CLEAN)
		return STEP(TRACE_CLEAN, event->why);
	return STEP(TRACE_FINE, event->why);
}

static struct trace_step judge_setting(const struct trace_item *item, const struct trace_policy *policy)
{
	if (!item->set)
		return STEP(TRACE_FINE, "the kernel's default");
	if (is_forced(item, policy))
		return STEP(TRACE_CLEAN, "forced");
	/* Recorded data disturb nobody. */
	if (item->kind == TRACE_ENTRIES)
		return STEP(TRACE_FINE, "recorded entries are kept");
	return STEP(TRACE_UNRELATED, "set, but its owner is unknown");
}

/* Nothing shows whether a pin of another tool is a leftover: the user must name the owner. */
static struct trace_step judge_pin(const struct trace_item *item, const struct trace_policy *policy)
{
	const struct trace_owner *owner = &item->owner;
	bool own = owner->tool && !strcmp(owner->tool, OWNER_SONDE);

	if (!item->set)
		return STEP(TRACE_FINE, "it cannot be opened");
	if (is_forced(item, policy) && (own || policy->owner))
		return STEP(TRACE_CLEAN, "forced");
	if (!owner->tool)
		return STEP(TRACE_UNRELATED, "its path names no owner");
	if (owner->state == OWNER_ALIVE)
		return STEP(TRACE_OWNED, "a running process uses it");
	if (owner->state == OWNER_UNSEEN)
		return STEP(TRACE_OWNED, "a process outside this pid namespace may use it");
	if (is_named(item, policy))
		return STEP(TRACE_CLEAN, "its owner was named");
	if (own)
		return STEP(TRACE_CLEAN, "no process uses it");
	return STEP(TRACE_OWNED, "pins of others stay until their owner is named");
}

/*
 * True if something is set in the instance, and the verdicts remove all of it: then the instance was made for what
 * is removed.
 */
static bool is_emptied(const struct traces *traces, const struct trace_verdicts *verdicts, size_t instance)
{
	bool acts = false;

	for (size_t i = 0; i < traces->n; i++) {
		const struct trace_item *item = &traces->v[i];

		if (item->instance != instance || item->kind == TRACE_INSTANCE || !item->set)
			continue;
		if (item->kind == TRACE_ENTRIES || !trace_step_acts(&verdicts->v[i]))
			return false;
		acts = true;
	}
	return acts;
}

static struct trace_step judge_instance(const struct traces *traces, const struct trace_verdicts *verdicts,
					const struct trace_item *item, const struct trace_policy *policy)
{
	if (is_forced(item, policy))
		return STEP(TRACE_CLEAN, "forced");
	if (is_named(item, policy))
		return STEP(TRACE_TRY, "it was named");
	if (is_emptied(traces, verdicts, item->instance))
		return STEP(TRACE_TRY, "everything set in it is removed");
	return STEP(TRACE_FINE, "its owner is unknown");
}

/*
 * Events come first in an inventory: their verdicts are known when the items that depend on them are judged.
 * Instances depend on all items and are judged last.
 */
void trace_verdicts_make(struct trace_verdicts *verdicts, const struct traces *traces,
			 const struct trace_policy *policy)
{
	verdicts->n = traces->n;
	verdicts->v = base_alloc(verdicts->n * sizeof(*verdicts->v));
	for (size_t i = 0; i < traces->n; i++) {
		const struct trace_item *item = &traces->v[i];

		if (trace_is_event(item))
			verdicts->v[i] = judge_event(item, policy);
		else if (item->kind == TRACE_SETTING || item->kind == TRACE_ENTRIES)
			verdicts->v[i] = judge_setting(item, policy);
		else if (item->kind == TRACE_PIN)
			verdicts->v[i] = judge_pin(item, policy);
		else if (item->kind != TRACE_INSTANCE)
			verdicts->v[i] = judge_use(item, verdicts, policy);
	}
	for (size_t i = 0; i < traces->n; i++)
		if (traces->v[i].kind == TRACE_INSTANCE)
			verdicts->v[i] = judge_instance(traces, verdicts, &traces->v[i], policy);
}

void trace_verdicts_release(struct trace_verdicts *verdicts)
{
	free(verdicts->v);
	*verdicts = (struct trace_verdicts){};
}

const char *trace_step_action(const struct trace_item *item, const struct trace_step *step)
{
	if (!trace_step_acts(step))
		return "leave";
	switch (item->kind) {
	case TRACE_ENABLED:
		return "disable";
	case TRACE_FILTER:
	case TRACE_SETTING:
	case TRACE_ENTRIES:
		return "reset";
	default:
		return "remove";
	}
}

bool trace_verdicts_act(const struct trace_verdicts *verdicts)
{
	for (size_t i = 0; i < verdicts->n; i++)
		if (trace_step_acts(&verdicts->v[i]))
			return true;
	return false;
}
