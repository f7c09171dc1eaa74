// SPDX-License-Identifier: BSD-2-Clause
/* Reports calls that take longer than a threshold. Their arguments are kept until they return. */
#include "bpf/event.bpf.h"
#include "bpf/pending.h"
#include "tools/funcslower.h"
#define PENDING struct funcslower_call
#include "bpf/latency.bpf.h"

const volatile struct funcslower_config config SEC(".rodata.config");

static __always_inline void begins(struct pt_regs *regs, __u64 key)
{
	struct funcslower_call *call = latency_claim(key);

	if (!call)
		return;
	if (config.args && latency_is_go()) {
		latency_go_args(regs, call->args);
	} else if (config.args) {
		call->args[0] = PT_REGS_PARM1(regs);
		call->args[1] = PT_REGS_PARM2(regs);
		call->args[2] = PT_REGS_PARM3(regs);
		call->args[3] = PT_REGS_PARM4(regs);
		call->args[4] = PT_REGS_PARM5(regs);
		call->args[5] = PT_REGS_PARM6(regs);
	}
	call->pending.start = bpf_ktime_get_ns();
}

static __always_inline void show(struct pt_regs *regs, __u64 slot, __u64 ns, const struct funcslower_call *call)
{
	struct funcslower_event *e = event_new(sizeof(*e));

	if (!e)
		return;
	e->ns = ns;
	e->ret = PT_REGS_RC(regs);
	e->function = slot;
	__builtin_memcpy(e->args, call->args, sizeof(e->args));
	event_submit(e);
}

static __always_inline void ends(struct pt_regs *regs, __u64 slot, __u64 key)
{
	struct funcslower_call *call = latency_find(key), copy;
	__u64 now = bpf_ktime_get_ns(), took;

	if (!call)
		return;
	pending_copy(call, &copy);
	took = pending_time(copy.pending.start, now);
	if (took >= config.least)
		show(regs, slot, took, &copy);
}

SEC("kprobe")
int slower_entry(struct pt_regs *ctx)
{
	__u64 slot;

	if (event_wanted() && slot_number(ctx, &slot))
		begins(ctx, latency_key(ctx, false, slot));
	return 0;
}

SEC("kprobe")
int slower_return(struct pt_regs *ctx)
{
	__u64 slot;

	/* calls of the reader have no begin: an entry in the same frame belongs to another call */
	if (!event_of_reader() && slot_number(ctx, &slot))
		ends(ctx, slot, latency_key(ctx, true, slot));
	return 0;
}

/* The session cookie keeps the key: at the end of a session the stack pointer differs from that of a return. */
SEC("kprobe")
int slower_session(struct pt_regs *ctx)
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
