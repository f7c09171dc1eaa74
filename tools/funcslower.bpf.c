// SPDX-License-Identifier: BSD-2-Clause
/* Reports calls that take longer than a threshold. Their arguments are kept until they return. */
#include "bpf/event.bpf.h"
#include "bpf/pending.h"
#include "tools/funcslower.h"
#define PENDING struct funcslower_call
#include "bpf/latency.bpf.h"

const volatile struct funcslower_config config SEC(".rodata.config");

static __always_inline void begins(void *ctx, __u64 key)
{
	struct funcslower_call *call = latency_claim(key);

	if (!call)
		return;
	if (config.args && latency_is_go()) {
		latency_go_args(ctx, call->args);
	} else if (config.args) {
		call->args[0] = context_arg(ctx, 0);
		call->args[1] = context_arg(ctx, 1);
		call->args[2] = context_arg(ctx, 2);
		call->args[3] = context_arg(ctx, 3);
		call->args[4] = context_arg(ctx, 4);
		call->args[5] = context_arg(ctx, 5);
	}
	call->pending.start = bpf_ktime_get_ns();
}

static __always_inline void show(void *ctx, __u64 slot, __u64 ns, const struct funcslower_call *call)
{
	struct funcslower_event *e = event_new(sizeof(*e));

	if (!e)
		return;
	e->ns = ns;
	e->ret = context_ret(ctx);
	e->function = slot;
	__builtin_memcpy(e->args, call->args, sizeof(e->args));
	event_submit(e);
}

static __always_inline void ends(void *ctx, __u64 slot, __u64 key)
{
	struct funcslower_call *call = latency_find(key), copy;
	__u64 now = bpf_ktime_get_ns(), took;

	if (!call)
		return;
	pending_copy(call, &copy);
	took = pending_time(copy.pending.start, now);
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
		return 1;
	if (latency_is_return(ctx)) {
		ends(ctx, slot, *latency_cookie(ctx));
		return 0;
	}
	if (!event_wanted())
		return 1;
	key = latency_key(ctx, false, slot);
	*latency_cookie(ctx) = key;
	begins(ctx, key);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
