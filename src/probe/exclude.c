// SPDX-License-Identifier: BSD-2-Clause
/*
 * Kernel functions that are never traced, by rule. A rule says what the functions
 * have in common; what merely fails to attach is no business of this file.
 */
#include <fnmatch.h>

#include "resolve.h"

static const struct {
	const char *glob, *reason;
} rules[] = {
	{"migrate_enable", "run around every BPF program: it would trace itself"},
	{"migrate_disable", "run around every BPF program: it would trace itself"},
	{"*rcu_read_lock*", "run around every BPF program: it would trace itself"},
	{"*rcu_read_unlock*", "run around every BPF program: it would trace itself"},
	{"preempt_count_*", "run around every BPF program: it would trace itself"},
	{"__bpf_prog_*", "run around every BPF program: it would trace itself"},
	{"__bpf_tramp_*", "run around every BPF program: it would trace itself"},
	{"default_idle*", "the idle loop, where RCU does not watch"},
	{"arch_cpu_idle*", "the idle loop, where RCU does not watch"},
	{"cpu_idle_*", "the idle loop, where RCU does not watch"},
	{"intel_idle*", "the idle loop, where RCU does not watch"},
	{"acpi_idle_*", "the idle loop, where RCU does not watch"},
	{"acpi_processor_ffh_cstate_enter", "the idle loop, where RCU does not watch"},
	{"poll_idle", "the idle loop, where RCU does not watch"},
	{"mwait_idle*", "the idle loop, where RCU does not watch"},
};

const char *resolve_excluded(const char *function)
{
	for (size_t i = 0; i < ARRAY_SIZE(rules); i++)
		if (!fnmatch(rules[i].glob, function, 0))
			return rules[i].reason;
	return NULL;
}
