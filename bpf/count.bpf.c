// SPDX-License-Identifier: BSD-2-Clause
/*
 * The count engine: one number for each target, kept apart for each processor, so that counting
 * is an increment in memory which no other processor touches. User space maps the
 * same memory and reads it without a system call.
 */
#include "bpf/filter.bpf.h"
#include "bpf/slot.bpf.h"

const volatile __u32 n_slots;
/*
 * Where a second run of the program can interrupt the first on one processor (a uprobe is
 * preemptible; before 5.12 nothing keeps a raw tracepoint from nesting), an increment could be lost.
 */
const volatile bool atomic;

/* A row of n_slots counters for each possible processor; sized by user space. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u64));
} counts SEC(".maps");

SEC("kprobe")
int count(void *ctx)
{
	__u32 cpu, slot;
	__u64 *row;

	if (!filter_pass())
		return 0;
	slot = slot_of(ctx);
	cpu = bpf_get_smp_processor_id();
	row = bpf_map_lookup_elem(&counts, &cpu);
	if (!row || slot >= n_slots)
		return 0;
	if (atomic)
		__sync_fetch_and_add(&row[slot], 1);
	else
		row[slot]++;
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
