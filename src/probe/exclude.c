// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules for kernel functions that are never traced because tracing them would harm the system. Functions to which
 * the kernel refuses to attach need no rule.
 */
#include "resolve.h"

#define AROUND_BPF "the kernel runs it around every BPF program, so a probe on it would trace itself"
#define IDLE	   "it is part of the idle loop, where RCU does not watch"
#define WATCH	   "it tells RCU when to watch, which BPF programs rely on"
/*
 * Helpers that our programs call, and functions that kprobe.multi calls for an address: each hit would cause
 * another.
 */
#define EVERY_HIT "every hit of a probe runs it"

/*
 * How a rule compares names. Every function that a pattern matches is tested against every rule: fnmatch() would
 * take 140 M instructions more (6.12).
 */
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
	{ IS, "___migrate_enable", AROUND_BPF },
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
	{ BEGINS, "rcu_idle_", WATCH },
	{ BEGINS, "rcu_eqs_", WATCH },
	{ BEGINS, "rcu_irq_e", WATCH },
	{ BEGINS, "rcu_nmi_e", WATCH },
	{ BEGINS, "rcu_user_e", WATCH },
	{ BEGINS, "rcu_dynticks_", WATCH },
	{ BEGINS, "ct_idle_", WATCH },
	{ BEGINS, "ct_irq_", WATCH },
	{ BEGINS, "ct_nmi_", WATCH },
	{ BEGINS, "ct_kernel_", WATCH },
	{ BEGINS, "ct_user_", WATCH },
	{ BEGINS, "ct_state_inc", WATCH },
	{ BEGINS, "__ct_user_", WATCH },
	{ BEGINS, "context_tracking_", WATCH },
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
