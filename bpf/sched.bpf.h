/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the raw tracepoint sched:sched_switch. It is hit with interrupts off, so that no kernel preempts a program
 * on it. The state of the previous task is read from the task itself, which works on all kernels; it is an argument
 * only since 5.18.
 */
#ifndef SONDE_SCHED_BPF_H
#define SONDE_SCHED_BPF_H

#include "bpf/context.bpf.h"
#include "bpf/task.bpf.h"

struct sched_switch {
	struct task_struct *prev, *next;
	bool waits; /* prev could go on running: it waits for a processor */
	bool ends;  /* prev has exited */
};

static __always_inline bool sched_is_idle(struct task_struct *task)
{
	return !BPF_CORE_READ(task, pid);
}

/* A preempted task waits for a processor even if its state says asleep: it was preempted on its way to sleep. */
static __always_inline void sched_read_switch(void *ctx, struct sched_switch *sw)
{
	__u32 state;

	sw->prev = (void *)context_word(ctx, 1);
	sw->next = (void *)context_word(ctx, 2);
	state = task_state(sw->prev);
	sw->waits = (bool)context_word(ctx, 0) || !state;
	sw->ends = state & TASK_DEAD;
}

#endif
