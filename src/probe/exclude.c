// SPDX-License-Identifier: BSD-2-Clause
/*
 * Kernel functions that are never traced, by rule. A rule says what the functions
 * have in common; what merely fails to attach is no business of this file.
 */
#include <fnmatch.h>

#include "resolve.h"

#define AROUND_BPF "run around every BPF program, which would trace itself"
#define IDLE	   "part of the idle loop, where RCU does not watch"
/* Helpers of our own programs, and what kprobe.multi asks about an address: each hit would cause another. */
#define EVERY_HIT "run by every hit of a probe"

static const struct {
	const char *glob, *reason;
} rules[] = {
	{ "migrate_enable", AROUND_BPF },
	{ "migrate_disable", AROUND_BPF },
	{ "*rcu_read_lock*", AROUND_BPF },
	{ "*rcu_read_unlock*", AROUND_BPF },
	{ "preempt_count_*", AROUND_BPF },
	{ "__bpf_prog_enter*", AROUND_BPF },
	{ "__bpf_prog_exit*", AROUND_BPF },
	{ "__bpf_prog_run*", AROUND_BPF },
	{ "__bpf_tramp_enter*", AROUND_BPF },
	{ "__bpf_tramp_exit*", AROUND_BPF },
	{ "bpf_get_*", EVERY_HIT },
	{ "is_endbr", EVERY_HIT },
	{ "default_idle*", IDLE },
	{ "arch_cpu_idle*", IDLE },
	{ "cpu_idle_poll*", IDLE },
	{ "intel_idle*", IDLE },
	{ "acpi_idle_*", IDLE },
	{ "acpi_processor_ffh_cstate_enter", IDLE },
	{ "poll_idle", IDLE },
	{ "mwait_idle*", IDLE },
};

const char *resolve_excluded(const char *function)
{
	for (size_t i = 0; i < ARRAY_SIZE(rules); i++)
		if (!fnmatch(rules[i].glob, function, 0))
			return rules[i].reason;
	return NULL;
}
