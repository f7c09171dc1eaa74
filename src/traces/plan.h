/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is to be done about each item of an inventory, and why. Decides, and changes nothing. Only what is proven
 * to be nobody's is cleaned; where there is doubt, and where no name tells whose it is, it stays.
 */
#ifndef SONDE_TRACES_PLAN_H
#define SONDE_TRACES_PLAN_H

#include "inventory.h"

enum trace_verdict {
	TRACE_FINE,	/* as the kernel begins, or nobody's business: says nothing */
	TRACE_CLEAN,	/* to be removed, disabled or reset */
	TRACE_TRY,	/* to be removed unless the kernel says that it is in use */
	TRACE_OWNED,	/* stays: of somebody who is named in `owner` */
	TRACE_UNRELATED /* stays: set, nobody knows by whom */
};

struct trace_step {
	enum trace_verdict verdict;
	const char *why;
	/* what came of it, see clean.h */
	bool done;
	int error; /* -errno, 0 none */
};

/* A step for each item, in the items' order. */
struct trace_plan {
	struct trace_step *v;
	size_t n;
};

struct trace_policy {
	/* Of this tool also what else would stay, but for what is of a living process; NULL none. See trace_is_named(). */
	const char *owner;
	/* what is of a living process, too; without an owner all of tracefs, whoever it belongs to, and pins of our own */
	bool force;
};

/* Is it that owner's? What no tool has written its name on goes by the event's group, an instance by its own name. */
bool trace_is_named(const struct trace_item *item, const char *owner);

void trace_plan_make(struct trace_plan *plan, const struct traces *traces, const struct trace_policy *policy);
void trace_plan_release(struct trace_plan *plan);

static inline bool trace_step_acts(const struct trace_step *step)
{
	return step->verdict == TRACE_CLEAN || step->verdict == TRACE_TRY;
}

/* "remove", "disable", "reset" or "leave": one word. */
const char *trace_step_action(const struct trace_item *item, const struct trace_step *step);

#endif
