/* SPDX-License-Identifier: BSD-2-Clause */
/* Within graph/: the condition on calls, for functions with arguments by name. */
#ifndef SONDE_GRAPH_GRAPH_IF_H
#define SONDE_GRAPH_GRAPH_IF_H

#include "condition.h"
#include "graph.h"
#include "prototype.h"

/* Initialise with {}. */
struct graph_if {
	const struct condition *condition; /* the caller's; NULL: all calls match */
	struct prototypes *prototypes;
	int8_t *numbers; /* of the argument, for each slot CONDITION_NAMES; -1: the function has none of that name */
};

/* A call as a condition sees it. */
struct graph_if_call {
	const struct target *function;
	const unsigned long long *args;
	const char *text;
	bool returned;
	int64_t ret;
};

/*
 * Finds the names in the functions of the slots, which may be NULL. 0, or -EINVAL with err: no function has an argument of
 * that name, or none that is a text. The caller releases it also then.
 */
int graph_if_bind(struct graph_if *on, const struct condition *condition, struct prototypes *prototypes,
		  const struct target *const *functions, size_t n_slots, struct err *err);
bool graph_if_matches(const struct graph_if *on, const struct graph_if_call *call);
void graph_if_release(struct graph_if *on);

#endif
