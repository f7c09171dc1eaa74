// SPDX-License-Identifier: BSD-2-Clause
/* A set of rules, numbered in the order in which they were added. */
#include "base/hash.h"
#include "rules.h"

static uint32_t hash_of(const struct unwind_rule *rule)
{
	uint64_t first;
	uint32_t rest;

	_Static_assert(sizeof(*rule) == sizeof(first) + sizeof(rest), "a rule with padding has no hash");
	memcpy(&first, rule, sizeof(first));
	memcpy(&rest, (const char *)rule + sizeof(first), sizeof(rest));
	return hash_pair(first, rest);
}

static uint16_t add(struct rules *rules, const struct unwind_rule *rule, uint32_t hash)
{
	lookup_add(&rules->lookup, hash, rules->n);
	*vec_push(rules) = *rule;
	return rules->n - 1;
}

static void begin(struct rules *rules)
{
	static const struct unwind_rule fixed[UNWIND_RULES_FIXED] = {
		[UNWIND_RULE_NONE] = { .cfa = UNWIND_CFA_NONE },
		[UNWIND_RULE_UNKNOWN] = { .cfa = UNWIND_CFA_UNKNOWN },
		[UNWIND_RULE_ROOT] = { .cfa = UNWIND_CFA_ROOT },
	};

	for (size_t i = 0; i < ARRAY_SIZE(fixed); i++)
		add(rules, &fixed[i], hash_of(&fixed[i]));
}

uint16_t rules_number(struct rules *rules, const struct unwind_rule *rule)
{
	uint32_t hash = hash_of(rule);

	if (!rules->n)
		begin(rules);
	lookup_each(it, &rules->lookup, hash)
		if (!memcmp(&rules->v[it.number], rule, sizeof(*rule)))
			return it.number;
	if (rules->n == UNWIND_RULES_MAX || (rules->limit && rules->n >= rules->limit)) {
		rules->refused++;
		return UNWIND_RULE_UNKNOWN;
	}
	return add(rules, rule, hash);
}

void rules_forget(struct rules *rules, size_t n)
{
	n = n < UNWIND_RULES_FIXED ? UNWIND_RULES_FIXED : n;
	if (n >= rules->n)
		return;
	rules->n = n;
	lookup_reset(&rules->lookup);
	for (size_t i = 0; i < n; i++)
		lookup_add(&rules->lookup, hash_of(&rules->v[i]), i);
}

void rules_release(struct rules *rules)
{
	free(rules->v);
	lookup_release(&rules->lookup);
	*rules = (struct rules){};
}
