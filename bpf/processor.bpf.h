/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Remembers when something began on this processor that it does one at a time, such as an interrupt or running a task.
 */
#ifndef SONDE_BPF_PROCESSOR_BPF_H
#define SONDE_BPF_PROCESSOR_BPF_H

#include "vmlinux/vmlinux.h"
#include <bpf/bpf_helpers.h>

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} processor_since SEC(".maps");

/* now 0: what begins is not measured. */
static __always_inline void processor_begin(__u64 now)
{
	__u32 only = 0;
	__u64 *since = bpf_map_lookup_elem(&processor_since, &only);

	if (since)
		*since = now;
}

/* Ends; *began is the start time in ns. False: it began before tracing. */
static __always_inline bool processor_end(__u64 *began)
{
	__u32 only = 0;
	__u64 *since = bpf_map_lookup_elem(&processor_since, &only);

	if (!since || !*since)
		return false;
	*began = *since;
	*since = 0;
	return true;
}

#endif
