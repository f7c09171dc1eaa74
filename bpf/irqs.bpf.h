/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs that measure or count interrupts of one kind. An interrupt ends on the processor where it began, and no
 * other one of its kind comes between. The tool that includes this file defines irqs_add(), which adds a time to
 * the right key.
 */
#ifndef SONDE_BPF_IRQS_BPF_H
#define SONDE_BPF_IRQS_BPF_H

#include "bpf/context.bpf.h"
#include "bpf/dist.bpf.h"
#include "bpf/processor.bpf.h"

static __always_inline void irqs_add(void *ctx, __u64 value);

SEC("raw_tp")
int entered(void *ctx)
{
	if (task_cpu_pass())
		processor_begin(sampling_skips() ? 0 : sampling_stamp(bpf_ktime_get_ns()));
	return 0;
}

SEC("raw_tp")
int left(void *ctx)
{
	__u64 now = bpf_ktime_get_ns(), began;

	if (processor_end(&began))
		irqs_add(ctx, sampling_time(began, now));
	return 0;
}

SEC("raw_tp")
int counted(void *ctx)
{
	if (task_cpu_pass())
		irqs_add(ctx, dist_no_value());
	return 0;
}

#endif
