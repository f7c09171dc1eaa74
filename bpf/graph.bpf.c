// SPDX-License-Identifier: BSD-2-Clause
/*
 * Calls as a tree: a record for each call when it returns, with how deep it is in other traced calls. A call is never
 * shorter than the calls in it, so `least` hides no caller of what is shown.
 *
 * Calls that have not returned are in the pending table, by their frame; so is the number of these calls of each thread.
 * A return sets that number to what it was at the entry, so a call that ends without a return (longjmp) is forgotten when
 * its caller returns, and one whose hit the kernel skipped changes nothing.
 */
#include "bpf/event.bpf.h"
#include "bpf/pending.h"
#include "bpf/graph.h"
#define PENDING struct graph_call
#include "bpf/latency.bpf.h"

const volatile struct graph_config config SEC(".rodata.config");

SEC(".data.graph")
__u8 graph_functions[GRAPH_SLOTS] = {};

/* The key of a thread. Its id is part of it: the memory of a task that has ended is soon that of another one. */
static __always_inline __u64 thread_key(__u64 task)
{
	return pending_key(task) ^ pending_key(bpf_get_current_pid_tgid() << 32);
}

static __always_inline void read_args(void *ctx, PENDING *call)
{
	if (latency_is_go()) {
		latency_go_args(ctx, call->args);
		return;
	}
	call->args[0] = context_arg(ctx, 0);
	call->args[1] = context_arg(ctx, 1);
	call->args[2] = context_arg(ctx, 2);
	call->args[3] = context_arg(ctx, 3);
	call->args[4] = context_arg(ctx, 4);
	call->args[5] = context_arg(ctx, 5);
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

/* Reads the text that an argument stands for. Not a part of the call's time. */
static __always_inline void read_text(PENDING *call, __u8 about)
{
	__u64 kind = GRAPH_TEXT_KIND(about);
	const void *text;

	call->text[0] = 0;
	if (!kind)
		return;
	text = text_of(kind, call->args[GRAPH_TEXT_ARGUMENT(about)]);
	if (!text)
		return;
	if (bpf_probe_read_kernel_str(call->text, sizeof(call->text), text) < 0 &&
	    (kind != GRAPH_CHARS || bpf_probe_read_user_str(call->text, sizeof(call->text), text) < 0))
		call->text[0] = 0;
}

/* The thread's entry; one with no call yet, if the call may begin a tree. */
static __always_inline PENDING *thread_that_may(__u64 task, __u8 about)
{
	__u64 key = thread_key(task);
	PENDING *thread = pending_find(key);

	if (thread)
		return thread;
	if (config.under && !(about & GRAPH_ROOT))
		return NULL;
	thread = pending_claim(key);
	if (thread) {
		thread->depth = 0;
		thread->task = 0;
		pending_head(thread)->start = bpf_ktime_get_boot_ns();
	}
	return thread;
}

/* False: its return is of no interest. */
static __always_inline bool begins(void *ctx, __u64 slot, __u64 key)
{
	__u64 task = bpf_get_current_task(), both = bpf_get_current_pid_tgid();
	__u8 about = graph_functions[slot & (GRAPH_SLOTS - 1)];
	PENDING *thread = thread_that_may(task, about), *call;
	__u32 depth;

	if (!thread)
		return false;
	depth = thread->depth;
	if (depth >= config.depth) {
		thread->depth = depth + 1;
		return true;
	}
	call = latency_claim(key);
	if (!call)
		return false;
	/* the same frame from before: that call has ended without a return, and so have those in it */
	if (call->task == task && call->depth < depth)
		depth = call->depth;
	call->task = task;
	call->pid = both >> 32;
	call->tid = both;
	call->function = slot;
	call->depth = depth;
	if (config.args) {
		read_args(ctx, call);
		read_text(call, about);
	}
	thread->depth = depth + 1;
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

static __always_inline void fill(void *ctx, const PENDING *call, __u64 now, struct graph_event *e)
{
	if (call->depth)
		__builtin_memset(&e->event, 0, sizeof(e->event));
	else
		event_fill(&e->event);
	e->event.time = now;
	e->start = pending_head(call)->start;
	e->ns = pending_time(e->start, now);
	e->task = call->task;
	e->ret = context_ret(ctx);
	e->function = call->function;
	e->depth = call->depth;
	e->returned = !patch_constant(PATCH_LEAVES);
	e->thread = call->tid;
}

static __always_inline void send(void *ctx, const PENDING *call, __u64 now)
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
	fill(ctx, call, now, e);
	event_submit(e);
}

/* The thread is where it was when the call began. */
static __always_inline void goes_back(PENDING *thread, const PENDING *call)
{
	if (!thread)
		return;
	thread->depth = call->depth;
	if (!call->depth)
		pending_free(thread, 0);
}

static __always_inline void ends(void *ctx, __u64 key)
{
	PENDING *call = latency_find(key), *thread = pending_find(thread_key(bpf_get_current_task()));
	__u64 now = bpf_ktime_get_boot_ns(), took;

	if (!call) {
		if (thread && thread->depth > config.depth)
			thread->depth--;
		return;
	}
	took = pending_time(pending_head(call)->start, now);
	goes_back(thread, call);
	if (took >= config.least)
		send(ctx, call, now);
	call->task = 0;
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

char LICENSE[] SEC("license") = "Dual BSD/GPL";
