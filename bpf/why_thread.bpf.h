/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the cells of a thread by the address of its task, which is its own until it has left the processor for the last
 * time. A thread has two possible places in an array; if both are taken, it is in a hash.
 *
 * A thread's cells are written by one processor at a time: where it leaves or comes.
 */
#ifndef SONDE_BPF_WHY_THREAD_BPF_H
#define SONDE_BPF_WHY_THREAD_BPF_H

#include "bpf/slot.bpf.h"
#include "bpf/task.bpf.h"
#include "bpf/why_object.bpf.h"

#define WHY_MIX 0x9e3779b97f4a7c15ULL

/* User space sets the size: WHY_THREADS. */
SEC(".data.why_threads")
struct why_thread why_threads[1] = {};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, WHY_MORE);
	__type(key, __u64);
	__type(value, struct why_thread);
} why_more SEC(".maps");

SEC(".data.why_empty")
struct why_thread why_empty = {};

/* The first or the second place of a task. */
static __always_inline struct why_thread *why_place(__u64 task, __u32 second)
{
	__u64 at = task * WHY_MIX >> 32 ^ second;

	barrier_var(at);
	at &= WHY_THREADS - 1;
	return (void *)slot_begin(why_threads) + at * sizeof(struct why_thread);
}

static __always_inline struct why_thread *why_find(__u64 task)
{
	struct why_thread *thread = why_place(task, 0);

	if (thread->task == task)
		return thread;
	thread = why_place(task, 1);
	if (thread->task == task)
		return thread;
	return why_shared.hashed ? bpf_map_lookup_elem(&why_more, &task) : NULL;
}

/*
 * Takes a place if it is free. Two processors can want the same one: each adds itself, and it is taken only by one that
 * then finds itself alone. 5.10 has no compare-and-swap.
 */
static __always_inline bool why_take(struct why_thread *thread, __u64 task)
{
	bool taken = false;

	if (thread->task)
		return false;
	atomic_add(&thread->busy, 1);
	if (*(volatile __u32 *)&thread->busy == 1 && !*(volatile __u64 *)&thread->task) {
		thread->record = 0;
		/* by words: without their type, the compiler clears bytes */
		__builtin_memset((__u64 *)thread + 2, 0, sizeof(*thread) - 16);
		*(volatile __u64 *)&thread->task = task;
		taken = true;
	}
	atomic_add(&thread->busy, -1);
	return taken;
}

/* A place for a thread that has none. All zero but its task. NULL: there is no room. */
static __noinline struct why_thread *why_claim(__u64 task)
{
	struct why_thread *thread = why_place(task, 0);

	if (why_take(thread, task))
		return thread;
	thread = why_place(task, 1);
	if (why_take(thread, task))
		return thread;
	if (!bpf_map_update_elem(&why_more, &task, &why_empty, BPF_NOEXIST)) {
		atomic_add(&why_shared.hashed, 1);
		thread = bpf_map_lookup_elem(&why_more, &task);
		if (thread) {
			thread->task = task;
			return thread;
		}
	}
	atomic_add(&why_shared.no_room, 1);
	return NULL;
}

static __always_inline void why_release(struct why_thread *thread, __u64 task)
{
	if (thread == why_place(task, 0) || thread == why_place(task, 1)) {
		*(volatile __u64 *)&thread->task = 0;
		return;
	}
	if (!bpf_map_delete_elem(&why_more, &task))
		atomic_add(&why_shared.hashed, -1);
}

static __always_inline void why_add(struct why_thread *thread, __u32 class, __u64 ns)
{
	if (class >= WHY_CLASSES)
		class = WHY_UNKNOWN;
	barrier_var(class);
	class &= WHY_MOST_CLASSES - 1;
	if (class >= WHY_CLASSES)
		return;
	thread->ns[class] += ns;
	thread->count[class]++;
}

/* Now - since, and since = now. Clocks of processors can differ by some ns. */
static __always_inline __u64 why_lap(struct why_thread *thread, __u64 now)
{
	__u64 ns = (__s64)(now - thread->since) > 0 ? now - thread->since : 0;

	thread->since += ns;
	return ns;
}

/* What the kernel says that the task has run; the time since the last tick may be missing while it runs. */
static __always_inline void why_account(struct why_thread *thread, struct task_struct *task)
{
	thread->ran = BPF_CORE_READ(task, se.sum_exec_runtime) - thread->ran;
	thread->user = BPF_CORE_READ(task, utime) - thread->user;
	thread->system = BPF_CORE_READ(task, stime) - thread->system;
}

/* The task's waits for processors in the kernel's account. */
static __always_inline __u64 why_delayed(struct task_struct *task)
{
	return bpf_core_field_exists(task->sched_info.run_delay) ? BPF_CORE_READ(task, sched_info.run_delay) : 0;
}

/* Fills in who a new thread is. `since` and `began`: when what is known of it began. */
static __always_inline void why_begin(struct why_thread *thread, struct task_struct *task, __u8 state, __u64 since)
{
	thread->tid = BPF_CORE_READ(task, pid);
	thread->tgid = BPF_CORE_READ(task, tgid);
	thread->worker = BPF_CORE_READ(task, flags) & (PF_IO_WORKER | PF_USER_WORKER) ? 1 : 0;
	BPF_CORE_READ_STR_INTO(&thread->comm, task, comm);
	why_account(thread, task);
	thread->delayed = why_delayed(task);
	thread->state = state;
	thread->since = thread->began = since;
}

#endif
