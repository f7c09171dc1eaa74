/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How much of the time until a thread comes to a processor it waited in a queue: as much as the kernel adds to its own
 * account (run_delay, the second figure of /proc/PID/schedstat), which it does right after the tracepoint sched_switch.
 * Until then the task still has the time when it was put into the queue. At the tracepoint the current task is the
 * previous one, and the next one is already its queue's `curr`.
 */
#ifndef SONDE_BPF_WHY_QUEUE_BPF_H
#define SONDE_BPF_WHY_QUEUE_BPF_H

#include "bpf/why_call.bpf.h"

/* What why_queue() returns: this kernel does not have the account. Else a bit says: the task was not in a queue. */
#define WHY_NO_ACCOUNT (~0ULL)
#define WHY_NOT_QUEUED (1ULL << 63)

/* What the account of the task that comes will say in a moment. Global: see bpf/typed.bpf.h. */
__noinline __u64 why_queue(void)
{
	struct task_struct *task = NULL;
	struct cfs_rq *queue = NULL;
	__u64 clock, queued, delayed;
	struct rq *rq;

	if (!bpf_core_field_exists(task->sched_info.last_queued) || !bpf_core_field_exists(queue->rq))
		return WHY_NO_ACCOUNT;
	if (typed_current()) {
		rq = bpf_get_current_task_btf()->se.cfs_rq->rq;
		clock = rq->clock;
		task = rq->curr;
		queued = task->sched_info.last_queued;
		delayed = task->sched_info.run_delay;
	} else {
		task = (void *)bpf_get_current_task();
		rq = BPF_CORE_READ(task, se.cfs_rq, rq);
		clock = BPF_CORE_READ(rq, clock);
		task = BPF_CORE_READ(rq, curr);
		queued = BPF_CORE_READ(task, sched_info.last_queued);
		delayed = BPF_CORE_READ(task, sched_info.run_delay);
	}
	return queued ? delayed + clock - queued : delayed | WHY_NOT_QUEUED;
}

/* For how long the task that comes has been in the queue of this processor; delayed: what its account says now. */
static __always_inline __u64 why_in_queue(__u64 delayed)
{
	__u64 soon = why_queue();

	return soon & WHY_NOT_QUEUED ? 0 : soon - delayed;
}

/*
 * How much of its wait the task that comes was in the queue of this processor: when the kernel moves it to another one,
 * its account takes what it has waited until then. delayed: as of why_queue().
 */
static __always_inline __u64 why_waited_here(struct task_struct *task, __u64 delayed, __u64 ready)
{
	return delayed & WHY_NOT_QUEUED ? ready : delayed - why_delayed(task);
}

/*
 * How long the thread waited for processors since it last ran, which was `ns` ago. A thread waits for none before it is
 * woken: since 6.12, the kernel leaves a sleeper that has had more than its share in the queue for a while, and its
 * account takes all of the sleep for a wait if it moves the sleeper to another processor meanwhile.
 */
static __always_inline __u64 why_ready(struct why_thread *thread, __u64 delayed, __u64 now, __u64 ns)
{
	bool asleep = thread->state == WHY_IS_ASLEEP;
	__u64 most = asleep && thread->woken && now - thread->woken < ns ? now - thread->woken : ns;
	__u64 before = thread->delayed;

	if (delayed != WHY_NO_ACCOUNT) {
		thread->delayed = delayed & ~WHY_NOT_QUEUED;
		if (!(delayed & WHY_NOT_QUEUED))
			return asleep && delayed - before > most ? most : delayed - before;
	}
	return asleep && !thread->woken ? 0 : most; /* that it was woken was missed */
}

struct why_split {
	__u64 asleep, ready;
};

/*
 * Divides the time since the thread left. The kernel's clock is a little older than `now`, by what it did in between.
 * So the wait can begin before the thread left at our time: as much is taken from the time that it ran. delayed: as of
 * why_queue().
 */
static __always_inline void why_divide(struct why_split *split, struct why_thread *thread, __u64 delayed, __u64 now)
{
	__u64 ns = why_lap(thread, now), ready = why_ready(thread, delayed, now, ns);

	if (thread->state == WHY_IS_READY || ready > ns) {
		__u64 ran = ns - ready; /* or less than 0 */

		if ((__s64)(thread->ns[WHY_RUNNING] + ran) < 0 || thread->throttled)
			ready = ns;
		else
			thread->ns[WHY_RUNNING] += ran;
		ns = ready;
	}
	split->ready = ready;
	split->asleep = ns - ready;
}

/* When the current task, which leaves, came to the processor; 0: this kernel does not say. */
static __always_inline __u64 why_came_at(struct task_struct *task, __u64 now)
{
	struct cfs_rq *queue = NULL;

	if (!bpf_core_field_exists(task->sched_info.last_arrival) || !bpf_core_field_exists(queue->rq))
		return 0;
	return now - (BPF_CORE_READ(task, se.cfs_rq, rq, clock) - BPF_CORE_READ(task, sched_info.last_arrival));
}

/* How much of what a task that leaves has run, by the kernel's account, it ran since it came; at most ns. */
static __always_inline __u64 why_ran_since(struct task_struct *task, __u64 ns)
{
	__u64 ran;

	if (!bpf_core_field_exists(task->se.prev_sum_exec_runtime))
		return 0;
	ran = BPF_CORE_READ(task, se.sum_exec_runtime) - BPF_CORE_READ(task, se.prev_sum_exec_runtime);
	return ran < ns ? ran : ns;
}

/*
 * The thread, which is the current task and leaves, has come without a hit of sched_switch: *came is when it did, by
 * the account, which has the wait before that already.
 */
static __always_inline bool why_split_past(struct why_split *split, struct why_thread *thread, struct task_struct *task,
					   __u64 now, __u64 *came)
{
	__u64 delayed = why_delayed(task);

	*came = why_came_at(task, now);
	if (!*came || now - *came > now - thread->since)
		return false;
	/* one that was preempted on its way to sleep is not in the account */
	if (delayed == thread->delayed)
		delayed |= WHY_NOT_QUEUED;
	why_divide(split, thread, delayed, *came);
	return true;
}

#endif
