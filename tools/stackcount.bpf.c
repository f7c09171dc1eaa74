// SPDX-License-Identifier: BSD-2-Clause
/* Counts hits by stack. */
#include "bpf/filter.bpf.h"
#include "bpf/slot.bpf.h"
#include "bpf/stack.bpf.h"
#include "tools/stackcount.h"

const volatile struct stackcount_config config SEC(".rodata.config");

SEC("kprobe")
int count(void *ctx)
{
	struct stack_key key = {};
	__u64 slot;

	if (!filter_pass() || !slot_number(ctx, &slot))
		return 0;
	key.slot = slot;
	if (config.by_process) {
		key.pid = bpf_get_current_pid_tgid() >> 32;
		bpf_get_current_comm(key.comm, sizeof(key.comm));
	}
	/* without frames the hit still counts */
	key.stack = stack_keep(ctx);
	stack_add(&key, 0);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
