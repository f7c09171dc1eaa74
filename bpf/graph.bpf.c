// SPDX-License-Identifier: BSD-2-Clause
/*
 * Calls as a tree: a record for each call when it returns, with how deep it is in other traced calls. A call is never
 * shorter than the calls in it, so `least` hides no caller of what is shown.
 *
 * Calls that have not returned are in the pending table, by their thread and frame; how many a thread has, is in a table
 * of threads. A return sets that number to what it was at the entry, so a call that ends without a return (longjmp) is
 * forgotten when its caller returns, when its frame is used again or, if it was the outermost, when a call begins above
 * its frame. When a thread is freed that has ended in calls, user space takes them out of the pending table.
 */
#include "bpf/event.bpf.h"
#include "bpf/pending.h"
#include "bpf/graph.h"
#include "bpf/ring.bpf.h"
#include "bpf/typed.bpf.h"
#ifdef GRAPH_STACKS
#include "bpf/stack.bpf.h"
#endif
#define PENDING struct graph_call
#include "bpf/latency.bpf.h"

const volatile struct graph_config config SEC(".rodata.config");

SEC(".data.graph")
__u8 graph_functions[GRAPH_SLOTS] = {};

/* User space sets the size: GRAPH_THREADS entries. */
SEC(".data.threads")
struct graph_thread graph_threads[GRAPH_THREAD_WAYS] = {};

/* What of the current task costs little is read from it itself, where the verifier knows its type: a constant. */
static __always_inline struct task_struct *current_task(void)
{
	return typed_current() ? bpf_get_current_task_btf() : (void *)bpf_get_current_task();
}

/* event_wanted(), but for sonde itself: it gets no entry in the table of threads. */
static __always_inline bool is_wanted(void)
{
	if (!filter_pass())
		return false;
	return !event_setup.pidns_ino || task_process((void *)bpf_get_current_task(), event_setup.pidns_ino);
}

/* The key of the current thread. The verifier permits the difference of two pointers, and no other arithmetic. */
static __always_inline __u64 task_key(struct task_struct *task)
{
	__u64 at = (__u64)task;

	if (!typed_current())
		return GRAPH_KEY(at, (__u32)bpf_get_current_pid_tgid());
	asm volatile("%0 -= %1"
		     : "+r"(at)
		     : "r"(slot_begin(graph_threads)));
	return GRAPH_KEY(at, (__u32)task->pid);
}

/* What a probe was hit by. */
struct hit {
	struct task_struct *task;
	__u64 frame; /* of Go 0: stacks move */
	__u64 key;   /* of the call */
	__u64 who;   /* of the thread */
};

/*
 * The key of a call is that of bpf/latency.h, with the thread in place of the process: a thread that has ended in calls
 * leaves its stack, and so its frames, to others. False: the goroutine is not known.
 */
static __always_inline bool find_hit(void *ctx, bool ret, __u64 slot, struct hit *hit)
{
	hit->task = current_task();
	if (latency_is_go()) {
		hit->frame = 0;
		hit->key = latency_key(ctx, ret, slot);
		hit->who = GRAPH_KEY_NO_TASK(latency_goroutine(ctx) * LATENCY_MIX_GOROUTINE +
					     (bpf_get_current_pid_tgid() >> 32) * LATENCY_MIX_PROCESS);
		return hit->key;
	}
	hit->frame = latency_frame(ctx, ret);
	hit->who = task_key(hit->task);
	hit->key = (hit->frame + hit->who * LATENCY_MIX_PROCESS) * PENDING_MIX ^ slot;
	return true;
}

/* Tells the compiler what it cannot see, so that it does not ask. */
#define is_never(condition) \
	({ \
		if (condition) \
			__builtin_unreachable(); \
	})

/* The entries that a thread may have. */
static __always_inline struct graph_thread *threads_of(__u64 key)
{
	return (void *)slot_begin(graph_threads) + GRAPH_THREAD_AT(key) * sizeof(struct graph_thread);
}

/* Mostly it is the first. */
static __always_inline struct graph_thread *find_thread(__u64 key)
{
	struct graph_thread *threads = threads_of(key);

	is_never(!threads);
	if (threads->key == key)
		return threads;
#pragma unroll
	for (int i = 1; i < GRAPH_THREAD_WAYS; i++)
		if (threads[i].key == key)
			return &threads[i];
	return NULL;
}

static __always_inline void read_args(void *ctx, __u64 *args)
{
	if (latency_is_go()) {
		latency_go_args(ctx, args);
		return;
	}
	args[0] = context_arg(ctx, 0);
	args[1] = context_arg(ctx, 1);
	args[2] = context_arg(ctx, 2);
	args[3] = context_arg(ctx, 3);
	args[4] = context_arg(ctx, 4);
	args[5] = context_arg(ctx, 5);
}

static __always_inline const void *text_of(__u64 kind, __u64 at)
{
	struct dentry *dentry = (void *)at;
	const void *text = NULL;

	if (kind == GRAPH_CHARS)
		return (void *)at;
	if (kind == GRAPH_FILENAME) {
		/* its first member is the name */
		bpf_probe_read_kernel(&text, sizeof(text), (void *)at);
		return text;
	}
	if (kind == GRAPH_PATH)
		dentry = BPF_CORE_READ((struct path *)at, dentry);
	else if (kind == GRAPH_FILE)
		dentry = BPF_CORE_READ((struct file *)at, f_path.dentry);
	return BPF_CORE_READ(dentry, d_name.name);
}

/*
 * Reads the text, of GRAPH_TEXT bytes, that one of the arguments stands for; GRAPH_TEXT_UNREAD() if it cannot. Not a part
 * of the call's time.
 */
static __always_inline void read_text(const __u64 *args, char *to, __u8 about)
{
	__u64 kind = GRAPH_TEXT_KIND(about);
	const void *text;
	long n;

	to[0] = 0;
	to[1] = 1;
	if (!kind)
		return;
	text = text_of(kind, args[GRAPH_TEXT_ARGUMENT(about)]);
	if (!text)
		return;
	n = bpf_probe_read_kernel_str(to, GRAPH_TEXT, text);
	if (n < 0 && kind == GRAPH_CHARS)
		n = bpf_probe_read_user_str(to, GRAPH_TEXT, text);
	if (n < 2) {
		to[0] = 0;
		to[1] = n < 0;
	}
}

/*
 * Whether a call in this frame shows that one in the other frame has ended: it is above it, on the same stack. A stack of
 * the kernel has 16 KB, and those of interrupts are far away. Go's frames are 0 here: it moves its stacks. In the same frame may be a call that the
 * other one has jumped to.
 */
static __always_inline bool is_above(__u64 frame, __u64 other)
{
	__u64 most = (__s64)other < 0 || context_kind() == CONTEXT_TRACING ? 16384 : 8 << 20;

	return frame - other - 1 < most;
}

/*
 * The stack of a kernel function that begins: at its return, kernels before 5.16 cannot unwind. 0: there is none.
 */
static __always_inline void take_stack(void *ctx, struct graph_thread *thread)
{
#ifdef GRAPH_STACKS
	thread->stack = 0;
	if (context_kind() == CONTEXT_TRACING || (__s64)PT_REGS_SP((struct pt_regs *)ctx) < 0)
		thread->stack = stack_keep_kernel(ctx, 0);
#endif
}

/*
 * Makes an entry that was in a state the thread's, with one call. False: another processor was quicker.
 *
 * Kernels before 5.12 swap nothing: there two threads may take one entry at the same moment, and one of them is then
 * without a tree until a call begins above the frame of its first one.
 */
static __always_inline bool take_entry(struct graph_thread *thread, __u64 state, __u64 key)
{
	if (__sync_val_compare_and_swap(&thread->state, state, GRAPH_STATE(key, 1)) != state)
		return false;
	/* nobody else changes it now, so this changes nothing if the swap has written it */
	*(volatile __u64 *)&thread->state = GRAPH_STATE(key, 1);
	return true;
}

/*
 * Chooses an entry for a thread: a free one, one whose thread has no call now or, if all have, any of them, which has most
 * likely ended within a call. Which of several is chosen depends on the thread.
 */
static __always_inline struct graph_thread *choose_entry(__u64 key)
{
	struct graph_thread *threads = threads_of(key), *thread = NULL;
	__u64 way = key >> GRAPH_TID_BITS;

#pragma unroll
	for (int i = 0; i < GRAPH_THREAD_WAYS; i++)
		if (!thread && !threads[i].key && !threads[i].depth)
			thread = &threads[i];
#pragma unroll
	for (int i = 0; i < GRAPH_THREAD_WAYS; i++, way++)
		if (!thread && !threads[way & (GRAPH_THREAD_WAYS - 1)].depth)
			thread = &threads[way & (GRAPH_THREAD_WAYS - 1)];
	if (thread)
		return thread;
	pending_lost(PENDING_NO_ROOM);
	return &threads[way & (GRAPH_THREAD_WAYS - 1)];
}

/* Takes an entry for a thread, and begins a call in it. NULL: another processor was quicker. */
static __always_inline struct graph_thread *claim_thread(const struct hit *hit)
{
	struct graph_thread *thread = choose_entry(hit->who);
	volatile __u64 *comm = (void *)thread->comm;
	struct event who;

	if (!take_entry(thread, *(volatile __u64 *)&thread->state, hit->who)) {
		pending_lost(PENDING_NO_ROOM);
		return NULL;
	}
	/* user space reads it meanwhile, and an interrupt may come between, whose calls are in this one */
	comm[0] = 0;
	*(volatile __u64 *)&thread->key = hit->who;
	*(volatile __u64 *)&thread->frame = hit->frame;
	event_fill(&who);
	thread->pid = who.pid;
	thread->tid = who.tid;
	thread->ppid = who.ppid;
	thread->uid = who.uid;
	*(volatile __u64 *)&thread->sent = 0;
	comm[1] = ((__u64 *)who.comm)[1];
	comm[0] = ((__u64 *)who.comm)[0];
	return thread;
}

/* Whether a tree may begin with the function. */
static __always_inline bool is_root(__u64 slot)
{
	return !config.under || graph_functions[slot & (GRAPH_SLOTS - 1)] & GRAPH_ROOT;
}

/*
 * The thread in which a call begins, and how deep. Of an outermost one the entry says already that it has begun: else
 * another thread could take it. NULL: no tree is open, and none may begin with this function.
 */
static __always_inline struct graph_thread *thread_of(void *ctx, const struct hit *hit, __u64 slot, __u32 *depth)
{
	struct graph_thread *thread = find_thread(hit->who);
	__u64 state = 0;

	if (thread) {
		state = *(volatile __u64 *)&thread->state;
		/* another one takes it just now */
		if (!GRAPH_STATE_IS_OF(state, hit->who))
			thread = NULL;
	}
	*depth = 0;
	if (thread && (__u32)state && !is_above(hit->frame, thread->frame)) {
		*depth = state;
		return thread;
	}
	if (!is_root(slot)) {
		if (thread && (__u32)state)
			thread->depth = 0;
		return NULL;
	}
	if (!thread || !take_entry(thread, state, hit->who)) {
		if (event_of_reader())
			return NULL;
		thread = claim_thread(hit);
		if (!thread)
			return NULL;
	}
	thread->frame = hit->frame;
	take_stack(ctx, thread);
	return thread;
}

/* The call has ended without a return, and so have those in it. The thread is where it was before it. */
static __always_inline void forget(const PENDING *call, __u32 *depth)
{
	pending_lost(PENDING_NO_END);
	if (GRAPH_CALL_DEPTH(call->what) < *depth)
		*depth = GRAPH_CALL_DEPTH(call->what);
}

/*
 * Takes a call from its thread: who does so alone may use the entry. False: its return or another call was quicker. As
 * with take_entry(), kernels before 5.12 let two of them have it.
 */
static __always_inline bool take_call(PENDING *call, __u64 who)
{
	if (__sync_val_compare_and_swap(&call->thread, who, 0) != who)
		return false;
	*(volatile __u64 *)&call->thread = 0;
	return true;
}

/* The call is the thread's. The swap is a barrier, where processors need one: whoever sees it sees how deep it is, too. */
static __always_inline void give_call(PENDING *call, __u64 who)
{
#if !defined(__TARGET_ARCH_x86)
	__sync_val_compare_and_swap(&call->thread, 0, who);
#endif
	*(volatile __u64 *)&call->thread = who;
}

/* Takes the call of an entry if it has ended without a return. One without a thread is being filled in, or has ended. */
static __always_inline bool take_over(PENDING *call)
{
	/* swaps nothing, but is a barrier */
	__u64 who = __sync_val_compare_and_swap(&call->thread, 0, 0);
	struct graph_thread *thread;

	if (!who)
		return false;
	thread = find_thread(who);
	if (thread && thread->depth > GRAPH_CALL_DEPTH(call->what))
		return false;
	return take_call(call, who);
}

/*
 * Claims another entry than the first: a free one, or that of a call that is over. A call that goes on keeps its entry, so
 * that the depth of its thread stays right: then the one that begins is lost.
 */
static __always_inline PENDING *claim_other(__u64 key)
{
	PENDING *entries = pending_entries_of(key);

#pragma unroll
	for (int i = 1; i < PENDING_WAYS; i++)
		if (!__sync_val_compare_and_swap(&pending_head(&entries[i])->key, 0, key)) {
			pending_head(&entries[i])->key = key;
			return &entries[i];
		}
#pragma unroll
	for (int i = 0; i < PENDING_WAYS; i++) {
		if (!take_over(&entries[i]))
			continue;
		*(volatile __u64 *)&pending_head(&entries[i])->key = key;
		pending_lost(PENDING_NO_END);
		return &entries[i];
	}
	pending_lost(PENDING_NO_ROOM);
	return NULL;
}

/* Claims an entry, and forgets a call that was in this frame before. Mostly the first one is free. */
static __always_inline PENDING *claim(const struct hit *hit, __u32 *depth)
{
	PENDING *call = pending_entries_of(hit->key);
	__u64 owner = __sync_val_compare_and_swap(&pending_head(call)->key, 0, hit->key);

	is_never(!call);
	/* one jump, and no number that says which way */
	barrier_var(owner);
	if (!owner) {
		/* as in pending_claim() */
		pending_head(call)->key = hit->key;
		return call;
	}
	call = pending_find(hit->key);
	if (!call || !take_call(call, hit->who))
		return claim_other(hit->key);
	forget(call, depth);
	return call;
}

/* A call that is too deep is only counted. */
static __always_inline bool is_too_deep(const struct hit *hit, struct graph_thread *thread, __u32 *depth)
{
	PENDING *call;

	if (!config.limited || *depth < config.depth)
		return false;
	call = pending_find(hit->key);
	if (call && take_call(call, hit->who)) {
		forget(call, depth);
		pending_free(call, call->what);
	}
	if (*depth < config.depth)
		return false;
	thread->depth = *depth + 1;
	return true;
}

/* False: its return is of no interest. */
static __always_inline bool begins(void *ctx, const struct hit *hit, __u64 slot)
{
	__u32 depth;
	struct graph_thread *thread = thread_of(ctx, hit, slot, &depth);
	PENDING *call;

	if (!thread)
		return false;
	if (is_too_deep(hit, thread, &depth))
		return true;
	call = claim(hit, &depth);
	if (!call) {
		thread->depth = depth;
		return false;
	}
	/* of the call that had the entry before */
	*(volatile __u64 *)&pending_head(call)->start = 0;
	/* at once: an interrupt may come between, whose calls are in this one */
	*(volatile __u32 *)&thread->depth = depth + 1;
	*(volatile __u64 *)&call->what = GRAPH_CALL(slot, depth);
	give_call(call, hit->who);
	if (config.args) {
		read_args(ctx, call->args);
		read_text(call->args, call->text, graph_functions[slot & (GRAPH_SLOTS - 1)]);
	}
	pending_head(call)->start = bpf_ktime_get_ns();
	return true;
}

/* Whether the record of the thread's outermost call says who it is. */
static __always_inline bool must_name(struct graph_thread *thread, struct task_struct *task)
{
	__u64 *known = (void *)thread->comm, first, second;

	if (typed_current()) {
		const volatile __u64 *comm = (void *)task + bpf_core_field_offset(struct task_struct, comm);

		first = comm[0];
		second = comm[1];
	} else {
		__u64 comm[EVENT_COMM_LEN / sizeof(__u64)];

		bpf_get_current_comm(comm, sizeof(comm));
		first = comm[0];
		second = comm[1];
	}
#ifndef GRAPH_STACKS
	if (thread->sent && first == known[0] && second == known[1])
		return false;
	thread->sent = 1;
#endif
	known[0] = first;
	known[1] = second;
	return true;
}

/* Before another thread may take the entry. */
static __always_inline void copy_who(struct graph_who *who, const struct graph_thread *thread)
{
#ifdef GRAPH_STACKS
	who->stack = thread->stack;
#else
	who->stack = 0;
#endif
	who->pid = thread->pid;
	who->tid = thread->tid;
	who->ppid = thread->ppid;
	who->uid = thread->uid;
	__builtin_memcpy(who->comm, thread->comm, sizeof(who->comm));
}

/*
 * args and whether there is a name are constants. One clock for start and end, read before: records of a thread are in
 * order as they are, and between threads that is as near as it gets.
 */
static __always_inline void send(void *ctx, const PENDING *call, __u64 who, __u64 now, __u64 took, bool args,
				 const struct graph_who *name)
{
	const __u64 bytes = args ? sizeof(struct graph_event) : offsetof(struct graph_event, args);
	const __u64 words = RING_TIME + (bytes + (name ? sizeof(struct graph_who) : 0)) / sizeof(__u64);
	struct ring_place place;
	__u64 *record = ring_reserve_untimed(&place, words), what = call->what;
	struct graph_event *e;

	if (!record)
		return;
	e = (void *)&record[RING_TIME];
	e->time = now;
	e->thread = who;
	if (patch_constant(PATCH_LEAVES))
		what |= (__u64)GRAPH_LEFT << 32;
	e->what = name ? what | (__u64)GRAPH_NAMED << 32 : what;
	e->ns = took;
	if (context_kind() == CONTEXT_TRACING)
		bpf_get_func_ret(ctx, (__u64 *)&e->ret);
	else
		e->ret = context_register_ret(ctx);
	if (args) {
		__builtin_memcpy(e->args, call->args, sizeof(e->args));
		__builtin_memcpy(e->text, call->text, sizeof(e->text));
	}
	if (name)
		__builtin_memcpy((void *)e + bytes, name, sizeof(*name));
	ring_commit(&place, 0, words);
}

static __always_inline void send_named(void *ctx, const PENDING *call, __u64 who, __u64 now, __u64 took,
				       const struct graph_who *name)
{
	if (config.args)
		send(ctx, call, who, now, took, true, name);
	else
		send(ctx, call, who, now, took, false, name);
}

static __always_inline void ends(void *ctx, const struct hit *hit)
{
	__u64 now = bpf_ktime_get_ns(), took;
	PENDING *call = pending_find(hit->key);
	struct graph_thread *thread;
	__u32 depth;
	__u64 who;

	if (!call) {
		thread = config.limited ? find_thread(hit->who) : NULL;
		if (thread && thread->depth > config.depth)
			thread->depth--;
		return;
	}
	/* as it was when the call began: a thread that executes a program gets its process's id */
	who = *(volatile __u64 *)&call->thread;
	/* before the thread's depth says that it has ended */
	if (!who || !take_call(call, who))
		return;
	took = now - pending_head(call)->start;
	/* clocks of processors differ a little */
	if ((__s64)took < 0)
		took = 0;
	depth = GRAPH_CALL_DEPTH(call->what);
	thread = find_thread(who);
	if (thread && !depth && took >= config.least && must_name(thread, hit->task)) {
		struct graph_who name;

		copy_who(&name, thread);
		thread->depth = 0;
		send_named(ctx, call, who, now, took, &name);
	} else {
		if (thread)
			thread->depth = depth;
		if (took >= config.least)
			send_named(ctx, call, who, now, took, NULL);
	}
	/* a record that was completed is a barrier; of what was not sent, `took` needs all that was read */
	pending_free(call, took ^ depth);
}

SEC("kprobe")
int graph_entry(void *ctx)
{
	struct hit hit;
	__u64 slot;

	if (!is_wanted() || !slot_number(ctx, &slot))
		return 0;
	if (find_hit(ctx, false, slot, &hit))
		begins(ctx, &hit, slot);
	else
		pending_lost(PENDING_NO_ID);
	return 0;
}

SEC("kprobe")
int graph_return(void *ctx)
{
	struct hit hit;
	__u64 slot;

	if (slot_number(ctx, &slot) && find_hit(ctx, true, slot, &hit))
		ends(ctx, &hit);
	return 0;
}

/* The session cookie keeps the key: at the end of a session the stack pointer differs from that of a return. */
SEC("kprobe")
int graph_session(void *ctx)
{
	struct hit hit;
	__u64 slot;

	if (latency_is_return(ctx)) {
		hit.key = *latency_cookie(ctx);
		if (latency_began_nothing(hit.key))
			return 0;
		hit.task = current_task();
		hit.who = task_key(hit.task);
		ends(ctx, &hit);
		return 0;
	}
	if (!is_wanted() || !slot_number(ctx, &slot) || !find_hit(ctx, false, slot, &hit))
		return latency_skip_return();
	if (!begins(ctx, &hit, slot))
		return latency_skip_return();
	*latency_cookie(ctx) = hit.key;
	return 0;
}

/* As task_key(), of a task that is not the current one. */
static __always_inline __u64 key_of(struct task_struct *task)
{
	__u64 at = (__u64)task, current = bpf_get_current_task(), offset;

	if (typed_current()) {
		/* what task_key() subtracts from addresses */
		offset = (__u64)bpf_get_current_task_btf();
		asm volatile("%0 -= %1"
			     : "+r"(offset)
			     : "r"(slot_begin(graph_threads)));
		at -= current - offset;
	}
	return GRAPH_KEY(at, (__u32)BPF_CORE_READ(task, pid));
}

/* The task of a thread is freed: nothing of it runs any more. If it has ended in calls, user space must know. */
SEC("raw_tp")
int graph_freed(void *ctx)
{
	const __u64 words = RING_TIME + (offsetof(struct graph_event, args) + sizeof(struct graph_who)) / sizeof(__u64);
	__u64 key = key_of((void *)context_word(ctx, 0)), *record;
	struct graph_thread *thread = find_thread(key);
	struct ring_place place;
	struct graph_event *e;

	if (!thread || !thread->depth)
		return 0;
	record = ring_reserve_untimed(&place, words);
	if (record) {
		e = (void *)&record[RING_TIME];
		e->time = bpf_ktime_get_ns();
		e->thread = key;
		e->what = GRAPH_CALL(0, thread->depth | GRAPH_GONE | GRAPH_NAMED);
		copy_who((void *)e->args, thread);
		ring_commit(&place, 0, words);
	}
	/* the entry is free, and says who it was until another thread takes it */
	*(volatile __u32 *)&thread->depth = 0;
	return 0;
}

/* Where the function returns to, at its first instruction. */
static __always_inline __u64 caller_of(struct pt_regs *regs)
{
	__u64 caller = 0;

#if defined(__TARGET_ARCH_x86)
	bpf_probe_read_kernel(&caller, sizeof(caller), (void *)PT_REGS_SP(regs));
#else
	caller = context_register(regs, 30);
#endif
	return caller;
}

/* --flat: a record for each entry. */
SEC("kprobe")
int graph_flat(void *ctx)
{
	struct graph_entry *e;
	__u64 slot;
	__u8 about;

	if (!event_wanted() || !slot_number(ctx, &slot))
		return 0;
	about = graph_functions[slot & (GRAPH_SLOTS - 1)];
	e = event_new(sizeof(*e));
	if (!e)
		return 0;
	e->caller = caller_of(ctx);
	e->function = slot;
	if (config.args) {
		read_args(ctx, e->args);
		read_text(e->args, e->text, about);
	}
	event_submit(e);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
