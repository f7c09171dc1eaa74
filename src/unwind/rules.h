/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers rules so that each exists once. All files share them: a few thousand serve a whole system. */
#ifndef SONDE_UNWIND_RULES_H
#define SONDE_UNWIND_RULES_H

#include "base/lookup.h"
#include "bpf/unwind.h"

/* Initialise with {}; free with rules_release(). */
struct rules {
	vec(struct unwind_rule); /* by number */
	struct lookup lookup;
	size_t limit;	  /* of n; 0: UNWIND_RULES_MAX */
	uint64_t refused; /* how often a rule got no number, because of the limit */
};

/*
 * Returns the rule's number; adds the rule if it is new. If the limit is reached it returns UNWIND_RULE_UNKNOWN and
 * counts the rule in `refused`.
 */
uint16_t rules_number(struct rules *rules, const struct unwind_rule *rule);
/* Forgets the rules from number n on, which nobody uses. */
void rules_forget(struct rules *rules, size_t n);
void rules_release(struct rules *rules);

#endif
