/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the raw tracepoint sched:sched_switch. It is hit with interrupts off, so that no kernel preempts a program
 * on it. The state of the previous task is read from the task itself, which works on all kernels; it is an argument
 * only since 5.18.
 */
#ifndef SONDE_BPF_SCHED_BPF_H
#define SONDE_BPF_SCHED_BPF_H

#include "bpf/context.bpf.h"
#include "bpf/task.bpf.h"

#define RT_PRIOS 100 /* real-time tasks and those with a deadline are below */

struct sched_switch {
	struct task_struct *prev, *next;
	__u32 state; /* of prev; 0: it could go on running, and waits for a processor */
};

#define sched_waits(sw) (!(sw)->state)
#define sched_ends(sw)	((sw)->state & TASK_DEAD) /* prev has exited */

static __always_inline bool sched_is_idle(struct task_struct *task)
{
	return !BPF_CORE_READ(task, pid);
}

/* Whether a task that could run on must wait because its cgroup has used up its share of the processor. */
static __always_inline bool sched_is_throttled(struct task_struct *task)
{
	struct task_struct___throttled *now = (void *)task;
	struct cfs_rq *queue = NULL;

	if (bpf_core_field_exists(now->throttled))
		return BPF_CORE_READ(now, throttled);
	if (BPF_CORE_READ(task, prio) < RT_PRIOS) /* the quota is that of ordinary tasks */
		return false;
	if (!bpf_core_field_exists(task->se.cfs_rq) || !bpf_core_field_exists(queue->throttle_count))
		return false;
	return BPF_CORE_READ(task, se.cfs_rq, throttle_count) > 0;
}

/* A preempted task waits for a processor even if its state says asleep: it was preempted on its way to sleep. */
static __always_inline void sched_set_switch(void *ctx, struct sched_switch *sw, __u32 state)
{
	sw->prev = (void *)context_word(ctx, 1);
	sw->next = (void *)context_word(ctx, 2);
	/* calculated: behind a branch the verifier would follow the rest of the program twice */
	sw->state = state & (__u32)((context_word(ctx, 0) & 1) - 1);
}

static __always_inline void sched_read_switch(void *ctx, struct sched_switch *sw)
{
	sched_set_switch(ctx, sw, task_state((void *)context_word(ctx, 1)));
}

#endif
