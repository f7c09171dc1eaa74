// SPDX-License-Identifier: BSD-2-Clause
/* Times how long tasks run at a time, or how long they are off the processor. */
#include "bpf/dist.bpf.h"
#include "bpf/processor.bpf.h"
#include "bpf/sched.bpf.h"
#include "tools/cpudist.h"

const volatile struct cpudist_config config SEC(".rodata.config");

static __always_inline bool is_wanted(struct task_struct *task)
{
	return config.idle || !sched_is_idle(task);
}

/* Here the current task is the previous one, whose turn ends. */
SEC("raw_tp")
int on_cpu(void *ctx)
{
	__u64 now = bpf_ktime_get_ns(), began;
	struct sched_switch sw;

	sched_read_switch(ctx, &sw);
	if (processor_end(&began) && is_wanted(sw.prev) && filter_pass())
		dist_add_task(sw.prev, sampling_time(began, now));
	processor_begin(sampling_skips() ? 0 : sampling_stamp(now));
	return 0;
}

/* A task that has exited does not come back. */
SEC("raw_tp")
int off_cpu(void *ctx)
{
	__u64 now = bpf_ktime_get_ns(), began;
	struct sched_switch sw;

	sched_read_switch(ctx, &sw);
	if (!sched_ends(&sw) && is_wanted(sw.prev) && task_pass(sw.prev))
		sampling_begin_at((__u64)sw.prev, now);
	if (pending_end((__u64)sw.next, &began) && task_cpu_pass())
		dist_add_task(sw.next, sampling_time(began, now));
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
