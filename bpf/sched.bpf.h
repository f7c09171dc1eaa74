/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sched:sched_switch as a raw tracepoint. It comes with interrupts off, so that no kernel preempts a program on it. The kernel
 * has told the previous task's state there since 5.18, in its own way; it is in the task on all of them.
 */
#ifndef SONDE_SCHED_BPF_H
#define SONDE_SCHED_BPF_H

#include "bpf/context.bpf.h"
#include "bpf/task.bpf.h"

struct sched_switch {
	struct task_struct *prev, *next;
	bool waits; /* prev would go on if there were a processor for it */
	bool ends;  /* prev never runs again */
};

static __always_inline bool sched_is_idle(struct task_struct *task)
{
	return !BPF_CORE_READ(task, pid);
}

/* Who is preempted may have been about to sleep, and has its state for that already: it goes on nevertheless. */
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
