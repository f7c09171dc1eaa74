// SPDX-License-Identifier: BSD-2-Clause
/* A hash set of rules, numbered in the order in which they were added. */
#include "rules.h"

#define INDEX_FIRST 256

/* Multiplicative hashing of the whole struct, which has no padding. */
static uint32_t hash(const struct unwind_rule *rule)
{
	const uint64_t odd = 0x9e3779b97f4a7c15;
	uint64_t first;
	uint32_t rest;

	_Static_assert(sizeof(*rule) == sizeof(first) + sizeof(rest), "a rule with padding has no hash");
	memcpy(&first, rule, sizeof(first));
	memcpy(&rest, (const char *)rule + sizeof(first), sizeof(rest));
	return ((first * odd) ^ (first >> 32) ^ rest) * odd >> 32;
}

/* Returns the rule's place in the index, or the free place where it belongs. */
static uint32_t *find(const struct rules *rules, const struct unwind_rule *rule)
{
	size_t mask = rules->n_index - 1, i = hash(rule) & mask;

	while (rules->index[i] && memcmp(&rules->v[rules->index[i] - 1], rule, sizeof(*rule)))
		i = (i + 1) & mask;
	return &rules->index[i];
}

static uint16_t add(struct rules *rules, const struct unwind_rule *rule)
{
	*vec_push(rules) = *rule;
	*find(rules, rule) = rules->n;
	return rules->n - 1;
}

static void fill_index(struct rules *rules)
{
	free(rules->index);
	rules->index = base_alloc(rules->n_index * sizeof(*rules->index));
	for (size_t i = 0; i < rules->n; i++)
		*find(rules, &rules->v[i]) = i + 1;
}

/* Doubles the index. At most half of the places are in use, which keeps searches short. */
static void grow(struct rules *rules)
{
	rules->n_index = rules->n_index ? rules->n_index * 2 : INDEX_FIRST;
	fill_index(rules);
}

static void begin(struct rules *rules)
{
	static const struct unwind_rule fixed[UNWIND_RULES_FIXED] = {
		[UNWIND_RULE_NONE] = { .cfa = UNWIND_CFA_NONE },
		[UNWIND_RULE_UNKNOWN] = { .cfa = UNWIND_CFA_UNKNOWN },
		[UNWIND_RULE_ROOT] = { .cfa = UNWIND_CFA_ROOT },
	};

	grow(rules);
	for (size_t i = 0; i < ARRAY_SIZE(fixed); i++)
		add(rules, &fixed[i]);
}

uint16_t rules_number(struct rules *rules, const struct unwind_rule *rule)
{
	uint32_t *place;

	if (!rules->n)
		begin(rules);
	place = find(rules, rule);
	if (*place)
		return *place - 1;
	if (rules->n == UNWIND_RULES_MAX || (rules->limit && rules->n >= rules->limit)) {
		rules->refused++;
		return UNWIND_RULE_UNKNOWN;
	}
	if (rules->n * 2 >= rules->n_index)
		grow(rules);
	return add(rules, rule);
}

void rules_forget(struct rules *rules, size_t n)
{
	n = n < UNWIND_RULES_FIXED ? UNWIND_RULES_FIXED : n;
	if (n >= rules->n)
		return;
	rules->n = n;
	fill_index(rules);
}

void rules_release(struct rules *rules)
{
	free(rules->v);
	free(rules->index);
	*rules = (struct rules){};
}
