/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Processes that the filter does not pass, and that are measured, too: servers behind, which a measured thread has asked
 * on this machine. Their other threads are met when they come to a processor.
 */
#ifndef SONDE_BPF_REQUEST_JOINED_BPF_H
#define SONDE_BPF_REQUEST_JOINED_BPF_H

#include "bpf/atomic.bpf.h"
#include "bpf/request.h"
#include "bpf/task.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, REQUEST_JOINED);
	__type(key, __u32);
	__type(value, __u8);
} request_joined SEC(".maps");

/*
 * Not 0: processes that have read a request, which can ask servers behind for it. Where a filter chooses the processes,
 * user space sets all: then others, to which these hand their work over, can ask as well. Never cleared: another process
 * of the same lower bits is measured in vain.
 */
SEC(".data.request_serves")
__u8 request_serves[REQUEST_SERVES] = {};

SEC(".data.request_chain")
struct request_chain request_chain = {};

static __always_inline bool request_has_joined(__u32 tgid)
{
	return config.chain && request_chain.joined && bpf_map_lookup_elem(&request_joined, &tgid);
}

static __always_inline __u8 *request_serving(__u32 tgid)
{
	__u64 at = tgid;

	barrier_var(at);
	at &= REQUEST_SERVES - 1;
	return slot_begin(request_serves) + at;
}

/* The current process. */
static __always_inline void request_join(__u32 tgid)
{
	__u8 yes = 1;

	if (request_has_joined(tgid))
		return;
	if (bpf_map_update_elem(&request_joined, &tgid, &yes, BPF_ANY))
		atomic_add(&request_chain.no_room, 1);
	else
		atomic_add(&request_chain.joined, 1);
}

/*
 * A thread has left its processor for the last time. If it was the last one of its process, or the others are about to
 * do the same, another process may get the id. Global: the verifier follows it once.
 */
__noinline int request_part(__u64 address)
{
	struct task_struct *task = (void *)address;
	__u32 tgid;

	if (!config.chain || !request_chain.joined || BPF_CORE_READ(task, signal, live.counter) > 0)
		return 0;
	tgid = BPF_CORE_READ(task, tgid);
	bpf_map_delete_elem(&request_joined, &tgid);
	return 0;
}

#endif
