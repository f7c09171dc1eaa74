// SPDX-License-Identifier: BSD-2-Clause
/*
 * Kernel functions that are never traced, by rule. A rule says what the functions
 * have in common; what merely fails to attach is no business of this file.
 */
#include "resolve.h"

#define AROUND_BPF "run around every BPF program, which would trace itself"
#define IDLE	   "part of the idle loop, where RCU does not watch"
/* Helpers of our own programs, and what kprobe.multi asks about an address: each hit would cause another. */
#define EVERY_HIT "run by every hit of a probe"

/* Each function that a pattern matches is held against each rule: by fnmatch() all of them took 140 M instructions more (6.12). */
enum how {
	IS,
	BEGINS,
	HAS,
};

static const struct rule {
	enum how how;
	const char *text, *reason;
} rules[] = {
	{ IS, "migrate_enable", AROUND_BPF },
	{ IS, "migrate_disable", AROUND_BPF },
	{ HAS, "rcu_read_lock", AROUND_BPF },
	{ HAS, "rcu_read_unlock", AROUND_BPF },
	{ BEGINS, "preempt_count_", AROUND_BPF },
	{ BEGINS, "__bpf_prog_enter", AROUND_BPF },
	{ BEGINS, "__bpf_prog_exit", AROUND_BPF },
	{ BEGINS, "__bpf_prog_run", AROUND_BPF },
	{ BEGINS, "__bpf_tramp_enter", AROUND_BPF },
	{ BEGINS, "__bpf_tramp_exit", AROUND_BPF },
	{ BEGINS, "bpf_get_", EVERY_HIT },
	{ IS, "is_endbr", EVERY_HIT },
	{ BEGINS, "default_idle", IDLE },
	{ BEGINS, "arch_cpu_idle", IDLE },
	{ BEGINS, "cpu_idle_poll", IDLE },
	{ BEGINS, "intel_idle", IDLE },
	{ BEGINS, "acpi_idle_", IDLE },
	{ IS, "acpi_processor_ffh_cstate_enter", IDLE },
	{ IS, "poll_idle", IDLE },
	{ BEGINS, "mwait_idle", IDLE },
};

static bool applies(const struct rule *rule, const char *function)
{
	if (rule->how == HAS)
		return strstr(function, rule->text);
	if (rule->text[0] != function[0])
		return false;
	return rule->how == IS ? !strcmp(function, rule->text) : !strncmp(function, rule->text, strlen(rule->text));
}

const char *resolve_excluded(const char *function)
{
	for (size_t i = 0; i < ARRAY_SIZE(rules); i++)
		if (applies(&rules[i], function))
			return rules[i].reason;
	return NULL;
}
