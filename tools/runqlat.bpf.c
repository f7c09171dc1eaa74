// SPDX-License-Identifier: BSD-2-Clause
/* Times how long tasks wait for a processor: from when they are woken or preempted until they run. */
#include "bpf/dist.bpf.h"
#include "bpf/sched.bpf.h"

/* A task that was preempted on its way to sleep waits already: keep its first start time. */
SEC("raw_tp")
int woken(void *ctx)
{
	struct task_struct *task = (void *)context_word(ctx, 0);

	if (!task_runs(task) && task_pass(task))
		sampling_begin_once((__u64)task);
	return 0;
}

SEC("raw_tp")
int switched(void *ctx)
{
	__u64 now = bpf_ktime_get_ns(), began;
	struct sched_switch sw;

	sched_read_switch(ctx, &sw);
	if (sched_waits(&sw) && !sched_is_idle(sw.prev) && task_pass(sw.prev))
		sampling_begin_at((__u64)sw.prev, now);
	if (pending_end((__u64)sw.next, &began) && task_cpu_pass())
		dist_add_task(sw.next, sampling_time(began, now));
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
