// SPDX-License-Identifier: BSD-2-Clause
/*
 * The count engine: one number for each target, kept apart for each processor, so that counting
 * is an increment in memory which no other processor touches. User space maps the
 * same memory and reads it without a system call.
 */
#include "bpf/atomic.bpf.h"
#include "bpf/filter.bpf.h"
#include "bpf/slot.bpf.h"

/* A shard of counters, one a slot, for each processor; sized by user space. All that is in .bss. */
__u64 counts[1];

SEC("kprobe")
int count(void *ctx)
{
	__u64 *counter;

	if (!filter_pass() || !slot_counter(ctx, counts, &counter))
		return 0;
	if (slot_shared())
		atomic_add(counter, 1);
	else
		++*counter;
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
