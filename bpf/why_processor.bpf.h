/* SPDX-License-Identifier: BSD-2-Clause */
/* Who had a processor, for a thread that has waited for it (bpf/why_turn.h). */
#ifndef SONDE_BPF_WHY_PROCESSOR_BPF_H
#define SONDE_BPF_WHY_PROCESSOR_BPF_H

#include "bpf/slot.bpf.h"
#include "bpf/why.h"
#include "bpf/why_turn.h"

/* User space sets the size: WHY_PROCESSORS. */
SEC(".data.why_processors")
struct why_processor why_processors[1] = {};

static __always_inline struct why_processor *why_processor(void)
{
	__u64 at = ((__u64(*)(void))(void *)bpf_get_smp_processor_id)();

	barrier_var(at);
	at &= WHY_PROCESSORS - 1;
	return slot_begin(why_processors) + at;
}

/* The current task leaves the processor. */
static __always_inline void why_turn_leaves(struct task_struct *prev, __u64 now)
{
	struct why_processor *processor = why_processor();
	__u64 both = bpf_get_current_pid_tgid();

	if (!why_turn_ends(processor, both, now, why_shared.armed, config.behind))
		return;
	processor->tid = both;
	processor->tgid = both >> 32;
	((__u64 *)processor->comm)[0] = ((__u64 *)processor->comm)[1] = 0;
	bpf_probe_read_kernel_str(processor->comm, sizeof(processor->comm), prev->comm);
}

struct why_behind {
	__u64 comm[2]; /* as in a struct why_key */
	__u32 tid, tgid;
};

/*
 * Who had the processor while the thread, which comes now, has waited for `ready` ns. prev: the current task, which
 * leaves; NULL: the switch was missed. One that has waited mostly in another processor's queue has waited for somebody
 * there, who is not known.
 */
static __always_inline void why_find_behind(struct why_behind *behind, const struct why_thread *thread,
					    struct task_struct *prev, __u64 ready, __u64 now)
{
	const struct why_processor *processor = config.turns ? why_processor() : NULL;
	__u64 both;

	behind->comm[0] = behind->comm[1] = 0;
	behind->tid = behind->tgid = 0;
	if (thread->here < ready / 2) {
		behind->comm[0] = '?';
		return;
	}
	if (processor && why_turn_counts(processor, now - ready)) {
		__builtin_memcpy(behind->comm, processor->comm, sizeof(behind->comm));
		behind->tid = processor->tid;
		behind->tgid = processor->tgid;
		return;
	}
	if (!prev) {
		behind->comm[0] = '?';
		return;
	}
	both = bpf_get_current_pid_tgid();
	if (!(__u32)both)
		return;
	behind->tid = both;
	behind->tgid = both >> 32;
	bpf_probe_read_kernel_str(behind->comm, sizeof(behind->comm), prev->comm);
}

#endif
