/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes who came to a processor, and who woke it, into the ring of that processor (bpf/why_link.h). Only a command has
 * a path, and only some users want a recording; otherwise user space clears why_config.links and .switches, and the
 * verifier removes all of this.
 */
#ifndef SONDE_BPF_WHY_LINK_BPF_H
#define SONDE_BPF_WHY_LINK_BPF_H

#include "bpf/record_task.bpf.h"
#include "bpf/ring.bpf.h"
#include "bpf/why_link.h"
#include "bpf/why_processor.bpf.h"
#include "bpf/why_thread.bpf.h"

static __always_inline void why_link_fill(__u64 *record, __u32 tid, __u32 waker, __u64 now)
{
	struct why_link *to = (void *)(record + RING_TIME);

	to->ran_at = now;
	to->tid = tid;
	to->waker = waker;
}

static __always_inline void why_link_behind(struct why_link *to, const struct why_thread *thread, struct task_struct *prev,
					    __u64 ready, __u64 now)
{
	struct why_behind behind;

	why_find_behind(&behind, thread, prev, ready, now);
	__builtin_memcpy(to->behind, behind.comm, sizeof(to->behind));
	to->behind_tid = behind.tid;
	to->behind_tgid = behind.tgid;
}

static __always_inline void why_link_behind_nobody(struct why_link *to)
{
	((__u64 *)to->behind)[0] = ((__u64 *)to->behind)[1] = 0;
	to->behind_tid = to->behind_tgid = 0;
}

/*
 * The following two are global and find the thread again, so that the verifier follows them once, and not wherever a
 * thread comes: without stacks, that was a third of its way. Before 6.8 it also follows global functions that nobody
 * calls, here with a ring that has no bytes: so each of them looks at config.links.
 */

/* The thread has been ready since it left the processor at off_at. prev_at: who had the processor; 0: not known. */
__noinline int why_link_ready(__u64 task, __u64 prev_at, __u64 off_at, __u64 now, bool is_long)
{
	const struct why_thread *thread = why_find(task);
	__u64 words = is_long ? WHY_LINK_BEHIND : WHY_LINK_SHORT;
	struct task_struct *prev = (void *)prev_at;
	struct ring_place place;
	struct why_link *to;
	__u64 *record;

	if (!config.links || !thread)
		return 0;
	record = ring_reserve_untimed(&place, words + 1);
	if (!record)
		return 0;
	why_link_fill(record, thread->tid, 0, now);
	to = (void *)(record + RING_TIME);
	to->off_at = to->woken_at = off_at;
	to->prev = prev ? bpf_get_current_pid_tgid() : 0;
	to->class = thread->throttled ? WHY_THROTTLED : WHY_PROCESSOR;
	to->call = 0;
	if (is_long)
		why_link_behind(to, thread, prev, now - off_at, now);
	ring_commit(&place, WHY_LINK_READY, words + 1);
	return 0;
}

/* The thread slept for thread->key since off_at. ready: for how long it has waited for the processor. */
__noinline int why_link_woken(__u64 task, __u64 prev_at, __u64 off_at, __u64 now, __u64 ready)
{
	const struct why_thread *thread = why_find(task);
	__u64 words = config.link_stacks ? WHY_LINK_STACK : WHY_LINK_WHOLE;
	struct task_struct *prev = (void *)prev_at;
	struct ring_place place;
	struct why_link *to;
	__u64 *record;

	if (!config.links || !thread)
		return 0;
	record = ring_reserve_untimed(&place, words + 1);
	if (!record)
		return 0;
	why_link_fill(record, thread->tid, thread->waker_tid, now);
	to = (void *)(record + RING_TIME);
	to->off_at = off_at;
	to->woken_at = thread->woken ? thread->woken : now - ready;
	to->prev = prev ? bpf_get_current_pid_tgid() : 0;
	to->class = thread->key.class;
	to->call = thread->key.call;
	to->a = thread->key.a;
	to->b = thread->key.b;
	if (config.link_stacks)
		to->stack = thread->stack;
	if (ready >= config.behind)
		why_link_behind(to, thread, prev, ready, now);
	else
		why_link_behind_nobody(to);
	ring_commit(&place, WHY_LINK_WOKEN, words + 1);
	return 0;
}

/* A thread comes behind prev; NULL: not known. Its state is still that in which it was until now. */
static __always_inline void why_link(const struct why_thread *thread, struct task_struct *task,
				     struct task_struct *prev, __u64 off_at, __u64 now, __u64 ready)
{
	if (!config.links)
		return;
	if (thread->state == WHY_IS_ASLEEP)
		why_link_woken((__u64)task, (__u64)prev, off_at, now, ready);
	else
		why_link_ready((__u64)task, (__u64)prev, off_at, now, ready >= config.behind);
}

/* Who a thread is: its kind is one of WHY_LINK_BORN, _EXEC and _END. */
static __always_inline void why_link_task(const struct why_thread *thread, __u32 kind, __u32 by, __u64 now)
{
	struct ring_place place;
	struct why_link *to;
	__u64 *record;

	if (!config.links)
		return;
	record = ring_reserve_untimed(&place, WHY_LINK_BEHIND + 1);
	if (!record)
		return;
	why_link_fill(record, thread->tid, by, now);
	to = (void *)(record + RING_TIME);
	to->tgid = thread->tgid;
	__builtin_memcpy(to->comm, thread->comm, sizeof(to->comm));
	ring_commit(&place, kind, WHY_LINK_BEHIND + 1);
}

/* The thread runs, and was there. */
static __always_inline void why_link_sample(const struct why_thread *thread, __u64 stack, __u64 now)
{
	struct ring_place place;
	struct why_sample *to;
	__u64 *record = ring_reserve_untimed(&place, WHY_SAMPLE_WORDS + 1);

	if (!record)
		return;
	to = (void *)(record + RING_TIME);
	to->time = now;
	to->tid = thread->tid;
	to->unused = 0;
	to->stack = stack;
	ring_commit(&place, WHY_LINK_SAMPLE, WHY_SAMPLE_WORDS + 1);
}

/* The switch itself. passes: it is prev that is measured; else only next. */
static __always_inline void why_link_switch(void *ctx, const struct sched_switch *sw, __u64 now, bool passes)
{
	struct task_struct *prev = sw->prev, *next = sw->next;
	bool preempted = context_word(ctx, 0);
	struct record_switch *to;
	struct ring_place place;
	__u64 *record = ring_reserve_untimed(&place, RECORD_SWITCH_SHORT + 1);

	if (!record)
		return;
	to = (void *)(record + RING_TIME);
	to->time = now;
	to->prev = bpf_get_current_pid_tgid();
	to->next = BPF_CORE_READ(next, pid);
	to->state = preempted ? RECORD_STATE_PREEMPTED : record_task_state(prev, false);
	to->passes = passes;
	to->prev_prio = record_task_prio(prev, false);
	to->next_prio = record_task_prio(next, false);
	ring_commit(&place, WHY_LINK_SWITCH, RECORD_SWITCH_SHORT + 1);
}

#endif
