/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs for interrupts of some sort: measured from the one's begin to its end, which is on the same processor and with none
 * of the sort between, or counted. The tool that includes this says in irqs_add() whose it is.
 */
#ifndef SONDE_IRQS_BPF_H
#define SONDE_IRQS_BPF_H

#include "bpf/context.bpf.h"
#include "bpf/dist.bpf.h"
#include "bpf/processor.bpf.h"

static __always_inline void irqs_add(void *ctx, __u64 value);

SEC("raw_tp")
int entered(void *ctx)
{
	if (task_cpu_pass())
		processor_begin(bpf_ktime_get_ns());
	return 0;
}

SEC("raw_tp")
int left(void *ctx)
{
	__u64 now = bpf_ktime_get_ns(), began;

	if (processor_end(&began))
		irqs_add(ctx, now - began);
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
