// SPDX-License-Identifier: BSD-2-Clause
/*
 * Counts the time that threads are off the processor, by stack: until they run again, or until another task wakes
 * them, then with the waker's stack too. A thread's own stack is taken when it leaves, while it is still current.
 */
#include "bpf/pending.h"
#include "bpf/blocked.h"
#define PENDING struct blocked_thread
#include "bpf/filter.bpf.h"
#include "bpf/pending.bpf.h"
#include "bpf/sched.bpf.h"
#include "bpf/stack.bpf.h"

const volatile struct blocked_config config SEC(".rodata.config");

/* The state by which --state chooses: a thread that waits for a processor is ready, whatever it was about to do. */
static __always_inline bool has_state(const struct sched_switch *sw)
{
	__u32 state = sw->state;

	return config.state ? state & config.state : !state;
}

/* Whether the previous task, which is still current, is to be measured. */
static __always_inline bool is_wanted(const struct sched_switch *sw)
{
	struct task_struct *prev = sw->prev; /* for sw->prev CO-RE would search the kernel for struct sched_switch */
	bool kernel;

	if (sched_ends(sw) || sched_is_idle(prev))
		return false;
	if (config.user_threads || config.kernel_threads) {
		kernel = BPF_CORE_READ(prev, flags) & PF_KTHREAD;
		if (kernel ? config.user_threads : config.kernel_threads)
			return false;
	}
	return (!config.by_state || has_state(sw)) && filter_pass();
}

/*
 * Another processor can wake the thread at any time from here on, since its state says already that it sleeps. So the
 * start time is written last: 0 says that the entry is not complete.
 */
static __always_inline void leaves(void *ctx, struct task_struct *task, __u64 now)
{
	__u64 stack = config.targets ? stack_keep(ctx) : 0, both;
	struct blocked_thread *thread = pending_begin((__u64)task, 0);

	if (!thread)
		return;
	both = bpf_get_current_pid_tgid();
	thread->stack = stack;
	thread->pid = both >> 32;
	thread->tid = both;
	bpf_get_current_comm(thread->comm, sizeof(thread->comm));
	*(volatile __u64 *)&thread->pending.start = now;
}

static __always_inline bool is_counted(__u64 ns)
{
	return ns >= config.least && ns <= config.most;
}

static __always_inline void fill(struct stack_key *key, const struct blocked_thread *thread)
{
	__builtin_memcpy(key->comm, thread->comm, sizeof(key->comm));
	if (!config.targets)
		return;
	key->stack = thread->stack;
	key->pid = thread->pid;
	key->tid = thread->tid;
}

static __always_inline void returns(const struct blocked_thread *thread, __u64 now)
{
	__u64 ns = pending_time(thread->pending.start, now);
	struct stack_key key = {};

	if (!is_counted(ns))
		return;
	fill(&key, thread);
	stack_add(&key, ns);
}

/* A thread is off the processor until it runs again, whether it sleeps or waits for the processor. */
SEC("raw_tp")
int off(void *ctx)
{
	__u64 now = bpf_ktime_get_ns();
	struct blocked_thread thread;
	struct sched_switch sw;

	sched_read_switch(ctx, &sw);
	if (pending_take((__u64)sw.next, &thread))
		returns(&thread, now);
	if (is_wanted(&sw))
		leaves(ctx, sw.prev, now);
	return 0;
}

/*
 * A thread sleeps until it is woken. If it runs again and nobody was seen to wake it, it was woken on its way to sleep,
 * before it left the processor: it has not slept.
 */
SEC("raw_tp")
int sleeps(void *ctx)
{
	__u64 now = bpf_ktime_get_ns(), began;
	struct sched_switch sw;

	sched_read_switch(ctx, &sw);
	pending_end((__u64)sw.next, &began);
	if (!sched_waits(&sw) && is_wanted(&sw))
		leaves(ctx, sw.prev, now);
	return 0;
}

/* The current task wakes another one. An interrupt that does so is shown with the task that it interrupted. */
SEC("raw_tp")
int wakes(void *ctx)
{
	__u64 now = bpf_ktime_get_ns(), ns;
	struct blocked_thread thread;
	struct stack_key key = {};

	/* without a start time the thread is still on its way to sleep */
	if (!pending_take(context_word(ctx, 0), &thread) || !thread.pending.start)
		return 0;
	ns = pending_time(thread.pending.start, now);
	if (!is_counted(ns))
		return 0;
	fill(&key, &thread);
	*(config.targets ? &key.other : &key.stack) = stack_keep(ctx);
	bpf_get_current_comm(key.other_comm, sizeof(key.other_comm));
	if (config.targets)
		key.other_pid = bpf_get_current_pid_tgid();
	stack_add(&key, ns);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
