/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How much of the time until a thread comes to a processor it waited in a queue: as much as the kernel adds to its own
 * account (run_delay, the second figure of /proc/PID/schedstat), which it does right after the tracepoint sched_switch.
 * Until then the task still has the time when it was put into the queue. At the tracepoint the current task is the
 * previous one, and the next one is already its queue's `curr`.
 */
#ifndef SONDE_WHY_QUEUE_BPF_H
#define SONDE_WHY_QUEUE_BPF_H

#include "bpf/why_call.bpf.h"

struct why_account {
	__u64 clock, queued, delayed;
};

/* False: this kernel does not have the account. queued 0: the kernel has not put this task into a queue. */
static __always_inline bool why_read_queue(struct why_account *account, struct task_struct *next)
{
	struct task_struct *prev;
	struct cfs_rq *queue = NULL;
	struct rq *rq;

	if (!bpf_core_field_exists(next->sched_info.last_queued) || !bpf_core_field_exists(queue->rq))
		return false;
	if (typed_current()) {
		rq = bpf_get_current_task_btf()->se.cfs_rq->rq;
		account->clock = rq->clock;
		next = rq->curr;
		account->queued = next->sched_info.last_queued;
		account->delayed = next->sched_info.run_delay;
		return true;
	}
	prev = (void *)bpf_get_current_task();
	account->clock = BPF_CORE_READ(prev, se.cfs_rq, rq, clock);
	account->queued = BPF_CORE_READ(next, sched_info.last_queued);
	account->delayed = BPF_CORE_READ(next, sched_info.run_delay);
	return true;
}

/* For how long the task that comes has been in the queue of this processor. */
static __always_inline __u64 why_in_queue(struct task_struct *next)
{
	struct why_account account;

	return why_read_queue(&account, next) && account.queued ? account.clock - account.queued : 0;
}

/*
 * How long the thread waited for processors since it last ran, which was `ns` ago. A thread waits for none before it is
 * woken: since 6.12, the kernel leaves a sleeper that has had more than its share in the queue for a while, and its
 * account takes all of the sleep for a wait if it moves the sleeper to another processor meanwhile.
 */
static __always_inline __u64 why_ready(struct why_thread *thread, const struct why_account *account, __u64 now,
				       __u64 ns)
{
	bool asleep = thread->state == WHY_IS_ASLEEP;
	__u64 most = asleep && thread->woken && now - thread->woken < ns ? now - thread->woken : ns;
	__u64 before = thread->delayed, ready;

	if (account) {
		thread->delayed = account->delayed;
		if (account->queued) {
			thread->delayed += account->clock - account->queued;
			ready = thread->delayed - before;
			return asleep && ready > most ? most : ready;
		}
	}
	return asleep && !thread->woken ? 0 : most; /* that it was woken was missed */
}

struct why_split {
	__u64 asleep, ready;
};

/*
 * Divides the time since the thread left. The kernel's clock is a little older than `now`, by what it did in between.
 * So the wait can begin before the thread left at our time: as much is taken from the time that it ran.
 */
static __always_inline void why_divide(struct why_split *split, struct why_thread *thread,
				       const struct why_account *account, __u64 now)
{
	__u64 ns = why_lap(thread, now), ready = why_ready(thread, account, now, ns);

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

/* The thread comes. */
static __always_inline void why_split(struct why_split *split, struct why_thread *thread, struct task_struct *next,
				      __u64 now)
{
	struct why_account account;

	why_divide(split, thread, why_read_queue(&account, next) ? &account : NULL, now);
}

/*
 * The thread, which is the current task and leaves, has come without a hit of sched_switch: *came is when it did, by
 * the account, which has the wait before that already.
 */
static __always_inline bool why_split_past(struct why_split *split, struct why_thread *thread, struct task_struct *task,
					   __u64 now, __u64 *came)
{
	struct why_account account;
	__u64 ago;

	if (!bpf_core_field_exists(task->sched_info.last_arrival) || !why_read_queue(&account, task))
		return false;
	ago = account.clock - BPF_CORE_READ(task, sched_info.last_arrival);
	if (ago > now - thread->since)
		return false;
	*came = now - ago;
	account.delayed = BPF_CORE_READ(task, sched_info.run_delay);
	/* one that was preempted on its way to sleep is not in the account */
	account.queued = account.delayed != thread->delayed ? account.clock : 0;
	why_divide(split, thread, &account, *came);
	return true;
}

#endif
