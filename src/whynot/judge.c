// SPDX-License-Identifier: BSD-2-Clause
/*
 * Who decided. The failures of a call are a tree of functions without those that succeeded, and without what these have
 * called. The decider is found from the outermost function that failed with the call's error inwards, each time by
 * the last
 * one in it that did: what came before was minded by nobody, or it would have been the end.
 */
#include <errno.h>

#include "whynot_part.h"

#define ERRORS_MAX 4095

struct window {
	unsigned int begin, end;
};

static bool is_in(const struct whynot_failure *failure, const struct window *window)
{
	return failure->begin > window->begin && failure->end < window->end;
}

static bool is_error(const struct whynot_failure *failure)
{
	return failure->ret < 0 && failure->ret >= -ERRORS_MAX;
}

static const struct decider *known_of(const struct whynot_functions *functions, const struct whynot_failure *failure)
{
	return failure->slot < functions->n ? functions->known[failure->slot] : NULL;
}

static uint8_t flags_of(const struct whynot_functions *functions, const struct whynot_failure *failure)
{
	const struct decider *known = known_of(functions, failure);

	return known ? known->flags : 0;
}

/* LSMs are asked for labels, too: one without refuses nothing. A refusal is one of these errors, or the call's. */
static bool is_no_refusal(const struct whynot_functions *functions, const struct whynot_failure *failure, int error)
{
	const struct decider *known = known_of(functions, failure);

	return known && known->what == WHAT_LSM && failure->ret != -error && failure->ret != -EPERM &&
	       failure->ret != -EACCES;
}

/* An answer to a question that does not lead to this error is no reason. */
static bool is_reason(const struct whynot_functions *functions, const struct whynot_failure *failure, int error)
{
	if (is_no_refusal(functions, failure, error))
		return false;
	/* a walk without locks that begins again with them */
	if (failure->ret == -ECHILD && error != ECHILD)
		return false;
	/* "not here": another one is asked, as LSMs are for prctl() */
	if (failure->ret == -ENOSYS && error != ENOSYS)
		return false;
	/* link_path_walk() of newer kernels is given an error in place of a name, and returns it */
	if (failure->args[0] == (uint64_t)failure->ret)
		return false;
	return !(flags_of(functions, failure) & DECIDER_ASIDE) ||
	       whynot_known_error(functions->names[failure->slot], error);
}

/* The last one to return in the window; with `ret`, of those that fail with it and do not only answer. NULL: none. */
static const struct whynot_failure *last_in(const struct whynot_functions *functions, const struct whynot_facts *facts,
					    const struct window *window, const long long *ret, int error)
{
	const struct whynot_failure *last = NULL;

	for (unsigned int i = 0; i < facts->n && i < WHYNOT_FAILURES; i++) {
		const struct whynot_failure *failure = &facts->failures[(facts->first + i) % WHYNOT_FAILURES];

		if (failure->number != facts->first + i)
			continue;
		if (failure->slot >= functions->n || !is_in(failure, window) || (last && failure->end < last->end))
			continue;
		if (ret && (failure->ret != *ret || flags_of(functions, failure) & DECIDER_ASIDE))
			continue;
		if (!is_reason(functions, failure, error))
			continue;
		last = failure;
	}
	return last;
}

static struct window inside(const struct whynot_failure *failure)
{
	return (struct window){ failure->begin, failure->end };
}

/* Goes inwards as long as the error is the same. */
static void descend(struct whynot_verdict *verdict, const struct whynot_functions *functions,
		    const struct whynot_facts *facts,
		    struct window window, long long ret)
{
	const struct whynot_failure *next;

	while (verdict->n < ARRAY_SIZE(verdict->chain) && (next = last_in(functions, facts, &window, &ret, -ret))) {
		verdict->chain[verdict->n++] = verdict->decider = next;
		window = inside(next);
		if (flags_of(functions, next) & DECIDER_LAST)
			return;
	}
}

/* The innermost of the last failures. */
static const struct whynot_failure *find_cause(const struct whynot_functions *functions,
					       const struct whynot_facts *facts,
					       struct window window, int error)
{
	const struct whynot_failure *cause = NULL, *next;

	while ((next = last_in(functions, facts, &window, NULL, error))) {
		cause = next;
		window = inside(next);
		if (flags_of(functions, next) & DECIDER_LAST)
			break;
	}
	return cause;
}

/* It runs before the call begins. That no begin was seen proves nothing: a tracer may skip a call, too. */
static const struct whynot_failure *find_seccomp(const struct whynot_functions *functions,
						 const struct whynot_facts *facts)
{
	for (unsigned int i = 0; facts->seccomp && i < facts->n && i < WHYNOT_FAILURES; i++) {
		const struct whynot_failure *failure = &facts->failures[(facts->first + i) % WHYNOT_FAILURES];
		const struct decider *known = known_of(functions, failure);

		if (failure->number == facts->first + i && known && known->what == WHAT_SECCOMP && failure->ret == -1)
			return failure;
	}
	return NULL;
}

struct whynot_verdict whynot_judge(const struct whynot_functions *functions, const struct whynot_facts *facts,
				   long long ret)
{
	const struct window all = { .end = UINT32_MAX };
	struct whynot_verdict verdict = {};
	const struct whynot_failure *last;

	if (!(facts->flags & WHYNOT_BEGUN)) {
		verdict.decider = find_seccomp(functions, facts);
		verdict.seccomp = verdict.decider;
		return verdict;
	}
	descend(&verdict, functions, facts, all, ret);
	if (verdict.decider) {
		if (!(flags_of(functions, verdict.decider) & DECIDER_LAST))
			verdict.cause = find_cause(functions, facts, inside(verdict.decider), -ret);
		return verdict;
	}
	/* the error changes on the way */
	last = last_in(functions, facts, &all, NULL, -ret);
	if (last && is_error(last) && !(flags_of(functions, last) & DECIDER_ASIDE))
		descend(&verdict, functions, facts, all, last->ret);
	verdict.cause = find_cause(functions, facts, verdict.decider ? inside(verdict.decider) : all, -ret);
	/* many ask for a capability and do without it: alone it explains these errors at most */
	if (!verdict.decider && verdict.cause && ret != -EPERM && ret != -EACCES &&
	    strstr(functions->names[verdict.cause->slot], "capable"))
		verdict.cause = NULL;
	return verdict;
}
