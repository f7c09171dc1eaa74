// SPDX-License-Identifier: BSD-2-Clause
/*
 * Reports calls that take longer than a threshold. Their arguments are kept until they return. With SLOW_STACKS so is
 * the stack, taken at the entry: at the return the function is gone from it, and kernels before 5.16 cannot unwind
 * from their return probes.
 */
#include "bpf/event.bpf.h"
#include "bpf/pending.h"
#include "bpf/slow.h"
#ifdef SLOW_STACKS
#include "bpf/stack.bpf.h"
#define PENDING	   struct slow_stack_call
#define EVENT	   struct slow_stack_event
#define call_of(p) (&(p)->call)
#else
#define PENDING	   struct slow_call
#define EVENT	   struct slow_event
#define call_of(p) (p)
#endif
#include "bpf/latency.bpf.h"

const volatile struct slow_config config SEC(".rodata.config");

static __always_inline void read_args(void *ctx, struct slow_call *call)
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

/* The stack comes first: taking it is no part of the call's time. */
static __always_inline void begins(void *ctx, __u64 key)
{
#ifdef SLOW_STACKS
	__u64 stack = stack_keep(ctx);
#endif
	PENDING *entry = latency_claim(key);

	if (!entry)
		return;
	if (config.args)
		read_args(ctx, call_of(entry));
#ifdef SLOW_STACKS
	entry->stack = stack;
#endif
	pending_head(entry)->start = bpf_ktime_get_ns();
}

static __always_inline void show(void *ctx, __u64 slot, __u64 ns, const PENDING *entry)
{
	EVENT *record = event_new(sizeof(*record));
	struct slow_event *e = (void *)record;

	if (!record)
		return;
	e->ns = ns;
	e->returned = !patch_constant(PATCH_LEAVES);
	e->ret = context_ret(ctx);
	e->function = slot;
	__builtin_memcpy(e->args, call_of(entry)->args, sizeof(e->args));
#ifdef SLOW_STACKS
	record->stack = entry->stack;
#endif
	event_submit(record);
}

static __always_inline void ends(void *ctx, __u64 slot, __u64 key)
{
	PENDING *entry = latency_find(key), copy;
	__u64 now = bpf_ktime_get_ns(), took;

	if (!entry)
		return;
	pending_copy(entry, &copy);
	took = pending_time(pending_head(&copy)->start, now);
	if (took >= config.least)
		show(ctx, slot, took, &copy);
}

SEC("kprobe")
int slower_entry(void *ctx)
{
	__u64 slot;

	if (event_wanted() && slot_number(ctx, &slot))
		begins(ctx, latency_key(ctx, false, slot));
	return 0;
}

SEC("kprobe")
int slower_return(void *ctx)
{
	__u64 slot;

	/* calls of the reader have no begin: an entry in the same frame belongs to another call */
	if (!event_of_reader() && slot_number(ctx, &slot))
		ends(ctx, slot, latency_key(ctx, true, slot));
	return 0;
}

/* The session cookie keeps the key: at the end of a session the stack pointer differs from that of a return. */
SEC("kprobe")
int slower_session(void *ctx)
{
	__u64 slot, key;

	if (!slot_number(ctx, &slot))
		return latency_skip_return();
	if (latency_is_return(ctx)) {
		key = *latency_cookie(ctx);
		if (!latency_began_nothing(key))
			ends(ctx, slot, key);
		return 0;
	}
	if (!event_wanted())
		return latency_skip_return();
	key = latency_key(ctx, false, slot);
	*latency_cookie(ctx) = key;
	begins(ctx, key);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
