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

/* A longer turn is known for no longer than this, once others follow. */
#define WHY_TURN_KNOWN 20000000 /* ns */

/*
 * The current task leaves the processor. A longer turn stays known until as much time has passed as it was longer, and
 * then a shorter one takes its place.
 */
static __always_inline void why_turn_ends(struct task_struct *prev, __u64 now)
{
	struct why_processor *processor = why_processor();
	__u64 ns = now - (processor->since > why_shared.armed ? processor->since : why_shared.armed);
	__u64 known = processor->ns < WHY_TURN_KNOWN ? processor->ns : WHY_TURN_KNOWN, age = now - processor->ended;
	__u32 tid = bpf_get_current_pid_tgid();

	processor->since = now;
	processor->last = tid ? ns : 0;
	if (!tid || ns < config.behind || (known > age && ns < known - age))
		return;
	processor->ns = ns;
	processor->ended = now;
	processor->tid = tid;
	((__u64 *)processor->comm)[0] = ((__u64 *)processor->comm)[1] = 0;
	bpf_probe_read_kernel_str(processor->comm, sizeof(processor->comm), prev->comm);
}

/* Whether a wait since `from` was for the longest turn rather than for the last one. */
static __always_inline bool why_turn_counts(const struct why_processor *processor, __u64 from)
{
	__u64 ns = processor->ended - from;

	return processor->ended > from && (ns < processor->ns ? ns : processor->ns) >= processor->last;
}

#endif
