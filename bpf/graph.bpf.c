// SPDX-License-Identifier: BSD-2-Clause
/*
 * Calls as a tree: a record for each call when it returns, with how deep it is in other traced calls. A call is never
 * shorter than the calls in it, so `least` hides no caller of what is shown.
 *
 * Calls that have not returned are in the pending table, by their frame; how many a thread has, is in a map. A return sets
 * that number to what it was at the entry, so a call that ends without a return (longjmp) is forgotten when its caller
 * returns, when its frame is used again or, if it was the outermost, when a call begins above its frame.
 */
#include "bpf/event.bpf.h"
#include "bpf/pending.h"
#include "bpf/graph.h"
#ifdef GRAPH_STACKS
#include "bpf/stack.bpf.h"
#endif
#define PENDING struct graph_call
#include "bpf/latency.bpf.h"

const volatile struct graph_config config SEC(".rodata.config");

SEC(".data.graph")
__u8 graph_functions[GRAPH_SLOTS] = {};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, GRAPH_THREADS);
	__type(key, struct graph_thread_key);
	__type(value, struct graph_thread);
} graph_threads SEC(".maps");

/* The id is a part of it: the memory of a task that has ended is soon that of another one. */
static __always_inline void thread_key(void *ctx, struct graph_thread_key *key)
{
	__u64 both = bpf_get_current_pid_tgid();

	if (latency_is_go()) {
		key->task = latency_goroutine(ctx) * LATENCY_MIX_GOROUTINE + (both >> 32) * LATENCY_MIX_PROCESS;
		key->tid = 0;
		return;
	}
	key->task = bpf_get_current_task();
	key->tid = (__u32)both;
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
 * the kernel has 16 KB, and those of interrupts are far away. Go moves its stacks. In the same frame may be a call that the
 * other one has jumped to.
 */
static __always_inline bool is_above(__u64 frame, __u64 other)
{
	__u64 most = (__s64)other < 0 || context_kind() == CONTEXT_TRACING ? 16384 : 8 << 20;

	return !latency_is_go() && frame - other - 1 < most;
}

/*
 * The stack of a kernel function that begins: at its return, kernels before 5.16 cannot unwind. 0: there is none, or it
 * is not wanted.
 */
static __always_inline __u64 take_stack(void *ctx)
{
#ifdef GRAPH_STACKS
	if (context_kind() == CONTEXT_TRACING || (__s64)PT_REGS_SP((struct pt_regs *)ctx) < 0)
		return stack_keep_kernel(ctx, 0);
#endif
	return 0;
}

/* The thread as its outermost call begins. NULL: no room. */
static __always_inline struct graph_thread *begin_tree(void *ctx, struct graph_thread *thread,
						       const struct graph_thread_key *key, __u64 frame)
{
	struct graph_thread none = {};

	if (!thread) {
		bpf_map_update_elem(&graph_threads, key, &none, BPF_NOEXIST);
		thread = bpf_map_lookup_elem(&graph_threads, key);
	}
	if (!thread) {
		pending_lost(PENDING_NO_ROOM);
		return NULL;
	}
	if (!thread->who.time)
		event_fill(&thread->who);
	thread->frame = frame;
	thread->stack = take_stack(ctx);
	return thread;
}

/* NULL: no tree is open, and none may begin with this function. */
static __always_inline struct graph_thread *thread_of(void *ctx, const struct graph_thread_key *key, __u64 frame,
						      __u8 about)
{
	struct graph_thread *thread = bpf_map_lookup_elem(&graph_threads, key);

	if (thread && thread->depth && is_above(frame, thread->frame))
		thread->depth = 0;
	if (thread && thread->depth)
		return thread;
	if (config.under && !(about & GRAPH_ROOT))
		return NULL;
	return begin_tree(ctx, thread, key, frame);
}

/*
 * The same frame from before: that call has ended without a return, and so have those in it. The thread is where it was
 * before it.
 */
static __always_inline void forget_earlier(struct graph_thread *thread, const struct graph_thread_key *who, __u64 key)
{
	PENDING *earlier = latency_find(key);

	if (!earlier)
		return;
	pending_lost(PENDING_NO_END);
	if (earlier->thread.task == who->task && earlier->thread.tid == who->tid && earlier->depth < thread->depth)
		thread->depth = earlier->depth;
	pending_free(earlier, earlier->depth);
}

/* False: its return is of no interest. */
static __always_inline bool begins(void *ctx, __u64 slot, __u64 key)
{
	__u8 about = graph_functions[slot & (GRAPH_SLOTS - 1)];
	__u64 frame = latency_is_go() ? 0 : latency_frame(ctx, false);
	struct graph_thread_key who;
	struct graph_thread *thread;
	PENDING *call;
	__u32 depth;

	thread_key(ctx, &who);
	thread = thread_of(ctx, &who, frame, about);
	if (!thread)
		return false;
	forget_earlier(thread, &who, key);
	depth = thread->depth;
	/* at once: an interrupt may come between, whose calls are in this one */
	thread->depth = depth + 1;
	if (depth >= config.depth)
		return true;
	call = latency_claim(key);
	if (!call) {
		thread->depth = depth;
		return false;
	}
	call->thread = who;
	call->function = slot;
	call->depth = depth;
	if (config.args) {
		read_args(ctx, call->args);
		read_text(call->args, call->text, about);
	}
	pending_head(call)->start = bpf_ktime_get_boot_ns();
	return true;
}

/*
 * Reserves a record of size bytes, a constant. One clock for start and end, read before: records of a thread are in
 * order as they are, and between threads that is as near as it gets.
 */
#define new_record(size) \
	({ \
		struct graph_event *_e = bpf_ringbuf_reserve(&events, size, 0); \
		if (!_e) \
			event_dropped(); \
		_e; \
	})

static __always_inline void fill(void *ctx, const PENDING *call, const struct graph_thread *thread, __u64 now,
				 struct graph_event *e)
{
	if (!call->depth && thread) {
		e->event = thread->who;
		bpf_get_current_comm(e->event.comm, sizeof(e->event.comm));
		e->stack = thread->stack;
	} else {
		__builtin_memset(&e->event, 0, sizeof(e->event));
		e->stack = 0;
	}
	e->event.time = now;
	e->start = pending_head(call)->start;
	e->ns = pending_time(e->start, now);
	e->thread = call->thread;
	e->ret = context_ret(ctx);
	e->function = call->function;
	e->depth = call->depth;
	e->returned = !patch_constant(PATCH_LEAVES);
	e->unused = 0;
}

static __always_inline void send(void *ctx, const PENDING *call, const struct graph_thread *thread, __u64 now)
{
	struct graph_event *e;

	if (config.args) {
		e = new_record(sizeof(*e));
		if (!e)
			return;
		__builtin_memcpy(e->args, call->args, sizeof(e->args));
		__builtin_memcpy(e->text, call->text, sizeof(e->text));
	} else {
		e = new_record(offsetof(struct graph_event, args));
		if (!e)
			return;
	}
	fill(ctx, call, thread, now, e);
	event_submit(e);
}

static __always_inline void ends(void *ctx, __u64 key)
{
	__u64 now = bpf_ktime_get_boot_ns(), took;
	struct graph_thread_key who;
	struct graph_thread *thread;
	PENDING *call = latency_find(key);

	thread_key(ctx, &who);
	thread = bpf_map_lookup_elem(&graph_threads, &who);
	/* the frame of a call that never returned, whose return is that of another one now */
	if (call && (call->thread.task != who.task || call->thread.tid != who.tid)) {
		pending_lost(PENDING_NO_END);
		pending_free(call, call->depth);
		return;
	}
	if (!call) {
		if (thread && thread->depth > config.depth)
			thread->depth--;
		return;
	}
	took = pending_time(pending_head(call)->start, now);
	if (thread)
		thread->depth = call->depth;
	if (took >= config.least)
		send(ctx, call, thread, now);
	call->thread.task = 0;
	/* a record that was submitted is a barrier; of what was not sent, `took` needs all that was read */
	pending_free(call, took);
}

SEC("kprobe")
int graph_entry(void *ctx)
{
	__u64 slot;

	if (event_wanted() && slot_number(ctx, &slot))
		begins(ctx, slot, latency_key(ctx, false, slot));
	return 0;
}

SEC("kprobe")
int graph_return(void *ctx)
{
	__u64 slot;

	if (!event_of_reader() && slot_number(ctx, &slot))
		ends(ctx, latency_key(ctx, true, slot));
	return 0;
}

/* The session cookie keeps the key: at the end of a session the stack pointer differs from that of a return. */
SEC("kprobe")
int graph_session(void *ctx)
{
	__u64 slot, key;

	if (!slot_number(ctx, &slot))
		return 1;
	if (latency_is_return(ctx)) {
		ends(ctx, *latency_cookie(ctx));
		return 0;
	}
	if (!event_wanted())
		return 1;
	key = latency_key(ctx, false, slot);
	*latency_cookie(ctx) = key;
	return !begins(ctx, slot, key);
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

/* --flat: a record for each entry, with its caller as `ret`. */
SEC("kprobe")
int graph_flat(void *ctx)
{
	struct graph_event *e;
	__u64 slot;
	__u8 about;

	if (!event_wanted() || !slot_number(ctx, &slot))
		return 0;
	about = graph_functions[slot & (GRAPH_SLOTS - 1)];
	e = event_new(sizeof(*e));
	if (!e)
		return 0;
	e->start = e->event.time;
	e->ns = e->stack = 0;
	e->thread.task = e->thread.tid = 0;
	e->ret = caller_of(ctx);
	e->function = slot;
	e->depth = e->returned = e->unused = 0;
	if (config.args) {
		read_args(ctx, e->args);
		read_text(e->args, e->text, about);
	}
	event_submit(e);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
