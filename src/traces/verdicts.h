/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decides what to do with each item of an inventory, and why. It changes nothing. It removes only what is proven
 * to be unused. An item stays if there is any doubt, or if no name identifies its owner.
 */
#ifndef SONDE_TRACES_VERDICTS_H
#define SONDE_TRACES_VERDICTS_H

#include "inventory.h"

enum trace_verdict {
	TRACE_FINE,	/* the kernel's default, or harmless: not reported */
	TRACE_CLEAN,	/* remove, disable or reset it */
	TRACE_TRY,	/* remove it unless the kernel reports that it is in use */
	TRACE_OWNED,	/* leave it: it belongs to `owner` */
	TRACE_UNRELATED /* leave it: it is set, but its owner is unknown */
};

struct trace_step {
	enum trace_verdict verdict;
	const char *why;
	/* the result, see clean.h */
	bool done;
	int error; /* -errno, 0 if there is none */
};

/* One step for each item, in the order of the items. */
struct trace_verdicts {
	struct trace_step *v;
	size_t n;
};

struct trace_policy {
	/*
	 * Also clean what belongs to this tool and would otherwise stay, unless a running process uses it; NULL:
	 * no tool. See trace_is_named().
	 */
	const char *owner;
	/*
	 * Also clean what belongs to running processes. Without an owner: all of tracefs, whoever it belongs to,
	 * and our own pins.
	 */
	bool force;
};

/*
 * True if the item belongs to `owner`. An event without a tool in its name belongs to its group, an instance to
 * its own name.
 */
bool trace_is_named(const struct trace_item *item, const char *owner);

/*
 * Makes the verdicts, one step for each item of traces, whose strings it does not copy. Free it with
 * trace_verdicts_release().
 */
void trace_verdicts_make(struct trace_verdicts *plan, const struct traces *traces, const struct trace_policy *policy);
void trace_verdicts_release(struct trace_verdicts *plan);

/* True if the step is to change something. */
static inline bool trace_step_acts(const struct trace_step *step)
{
	return step->verdict == TRACE_CLEAN || step->verdict == TRACE_TRY;
}

/* True if any step is to change something. */
bool trace_verdicts_act(const struct trace_verdicts *plan);

/* Returns the action as one word: "remove", "disable", "reset" or "leave". */
const char *trace_step_action(const struct trace_item *item, const struct trace_step *step);

#endif
