// SPDX-License-Identifier: BSD-2-Clause
/* Sends a record with the stack of the task that the clock of its processor interrupts. */
#include "bpf/event.bpf.h"
#include "bpf/stack.bpf.h"
#include "tools/profile.h"

SEC("perf_event")
int sample(void *ctx)
{
	struct profile_event *e;
	__u64 stack;

	if (!event_wanted())
		return 0;
	stack = stack_keep(ctx);
	e = event_new(sizeof(*e));
	if (!e)
		return 0;
	e->stack = stack;
	e->cpu = bpf_get_smp_processor_id();
	e->unused = 0;
	event_submit(e);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
