// SPDX-License-Identifier: BSD-2-Clause
/* Counts hits by stack. */
#include "bpf/filter.bpf.h"
#include "bpf/slot.bpf.h"
#include "bpf/stack.bpf.h"
#include "tools/stackcount.h"

const volatile struct stackcount_config config SEC(".rodata.config");

/*
 * The key is made when the stack is there, which takes long. Kernels from 6.13 on give a program one stack for each
 * processor, though a program at a user function can be preempted by itself: what lies on the stack meanwhile is another
 * thread's.
 */
static __always_inline void add(__u64 stack, __u64 slot)
{
	struct stack_key key = { .stack = stack, .slot = slot };

	if (config.by_process) {
		key.pid = bpf_get_current_pid_tgid() >> 32;
		bpf_get_current_comm(key.comm, sizeof(key.comm));
	}
	/* without frames the hit still counts */
	stack_add(&key, 0);
}

SEC("kprobe")
int count(void *ctx)
{
	__u64 slot, stack;

	if (!filter_pass())
		return 0;
	stack = stack_keep(ctx);
	if (slot_number(ctx, &slot))
		add(stack, slot);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
