/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules by number, each once, shared by all files: a few thousand serve a whole system. */
#ifndef SONDE_RULES_H
#define SONDE_RULES_H

#include "base/base.h"
#include "bpf/unwind.h"

/* What 16 bits can number. */
#define RULES_MAX 65536

/* Initialise with {}. */
struct rules {
	struct unwind_rule *v; /* by number */
	size_t n, cap;
	uint32_t *index; /* numbers + 1 by hash, open addressing; 0 free */
	size_t n_index;
	uint64_t refused; /* rules for which there was no number left */
};

/* Its number, now or from before; UNWIND_RULE_UNKNOWN where there are RULES_MAX already. */
uint16_t rules_number(struct rules *rules, const struct unwind_rule *rule);
void rules_release(struct rules *rules);

#endif
