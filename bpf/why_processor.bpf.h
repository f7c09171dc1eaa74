/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who had a processor for longest lately. Whoever comes last before a thread that waits has often had the processor for a
 * moment only, and is not the one for whom the thread waited.
 */
#ifndef SONDE_BPF_WHY_PROCESSOR_BPF_H
#define SONDE_BPF_WHY_PROCESSOR_BPF_H

#include "bpf/slot.bpf.h"
#include "bpf/why.h"

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

/*
 * The current task leaves the processor. A longer turn stays known until as much time has passed as it was longer, and
 * then a shorter one takes its place.
 */
static __always_inline void why_turn_ends(struct task_struct *prev, __u64 now)
{
	struct why_processor *processor = why_processor();
	__u64 ns = now - processor->since, age = now - processor->ended;
	__u32 tid = bpf_get_current_pid_tgid();

	processor->since = now;
	if (!tid || ns < config.behind || (processor->ns > age && ns < processor->ns - age))
		return;
	processor->ns = ns;
	processor->ended = now;
	processor->tid = tid;
	bpf_probe_read_kernel_str(processor->comm, sizeof(processor->comm), prev->comm);
}

#endif
