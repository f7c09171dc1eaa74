/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Return probes of user functions, ours or anybody's: the kernel replaces the return address on the stack by that of
 * its trampoline in the process, and keeps the true one in a list of the task. Knows no tables.
 */
#ifndef SONDE_BPF_URETPROBE_BPF_H
#define SONDE_BPF_URETPROBE_BPF_H

#include "vmlinux/vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

/* A call whose return is probed, the innermost first. */
struct return_instance {
	unsigned long stack; /* SP at the begin of the function */
	unsigned long orig_ret_vaddr;
	struct return_instance *next;
} CORE;

struct uprobe_task {
	struct return_instance *return_instances;
} CORE;

struct task_struct___uprobes {
	struct uprobe_task *utask;
} CORE;

struct xol_area {
	unsigned long vaddr;
} CORE;

struct uprobes_state {
	struct xol_area *xol_area;
} CORE;

struct mm_struct___uprobes {
	struct uprobes_state uprobes_state;
} CORE;

/* How many such calls are looked at. The kernel allows 64 in a task. */
#define URETPROBE_CALLS 64

/*
 * The address to which the current task will return by way of the trampoline; sp is SP after that. 0: the address is
 * not the trampoline's.
 */
static __always_inline __u64 uretprobe_true_address(__u64 address, __u64 sp)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct mm_struct___uprobes *mm = (void *)BPF_CORE_READ(task, mm);
	struct task_struct___uprobes *own = (void *)task;
	struct return_instance *call;

	if (!bpf_core_field_exists(own->utask) || !bpf_core_field_exists(mm->uprobes_state))
		return 0;
	if (BPF_CORE_READ(mm, uprobes_state.xol_area, vaddr) != address)
		return 0;
#if defined(__TARGET_ARCH_x86)
	/* where the return address is */
	sp -= 8;
#endif
	call = BPF_CORE_READ(own, utask, return_instances);
	for (int i = 0; i < URETPROBE_CALLS && call; i++) {
		barrier_var(i);
		if (BPF_CORE_READ(call, stack) == sp)
			return BPF_CORE_READ(call, orig_ret_vaddr);
		call = BPF_CORE_READ(call, next);
	}
	return 0;
}

#endif
