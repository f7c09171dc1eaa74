// SPDX-License-Identifier: BSD-2-Clause
/*
 * The count engine: a counter for each slot and processor. Counting is an increment in memory that no other
 * processor writes. User space maps the same memory and reads it without a system call.
 */
#include "bpf/atomic.bpf.h"
#include "bpf/filter.bpf.h"
#include "bpf/slot.bpf.h"

/*
 * For each processor a shard with a counter for each slot; user space sets the size. Must be the only variable in
 * .bss.
 */
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
