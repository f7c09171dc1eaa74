// SPDX-License-Identifier: BSD-2-Clause
/* Functions that are never traced. */
#include <criterion/criterion.h>

#include "probe/resolve.h"

Test(exclude, what_bpf_runs)
{
	static const char *const names[] = {
		"migrate_enable",
		"migrate_disable",
		"rcu_read_lock_held",
		"__rcu_read_unlock",
		"__srcu_read_lock",
		"preempt_count_add",
		"__bpf_prog_enter_recur",
		"__bpf_prog_exit_sleepable",
		"__bpf_tramp_enter",
		"default_idle_call",
		"intel_idle_ibrs",
		"poll_idle",
		"rcu_idle_enter",
		"rcu_irq_exit",
		"rcu_nmi_enter",
		"ct_kernel_exit",
		"context_tracking_enter",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		cr_expect(resolve_excluded(names[i]), "%s", names[i]);
}

/* Functions with similar names that are not excluded. */
Test(exclude, nothing_else)
{
	static const char *const names[] = {
		"vfs_read",
		"migrate_pages",
		"rcu_read_delay",
		"bpf_prog_load",
		"__bpf_tramp_image_put",
		"idle_cpu",
		"schedule",
		"preempt_schedule",
		"rcu_irq_work_resched",
		"rcu_core",
		"call_rcu",
		"",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		cr_expect_null(resolve_excluded(names[i]), "%s", names[i]);
}

Test(exclude, reasons_differ)
{
	cr_expect_str_neq(resolve_excluded("migrate_enable"), resolve_excluded("poll_idle"));
}
