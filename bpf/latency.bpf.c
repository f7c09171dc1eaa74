// SPDX-License-Identifier: BSD-2-Clause
/* The latency engine: the times of calls, in a histogram for each slot or one for all. */
#include "bpf/hist.bpf.h"
#include "bpf/latency.bpf.h"

SEC("kprobe")
int latency_entry(void *ctx)
{
	struct pending *pending;
	__u64 slot, key;

	if (!filter_pass() || !slot_number(ctx, &slot))
		return 0;
	key = latency_key(ctx, false, slot);
	if (sampling_skips()) {
		latency_forget(key);
		return 0;
	}
	pending = latency_claim(key);
	if (pending)
		pending->start = sampling_stamp(bpf_ktime_get_ns());
	return 0;
}

/*
 * constant: the slot is read where it is needed, because a value that lives across a call needs a register that
 * must be saved.
 */
static __always_inline int ends(void *ctx, __u64 now, bool constant, __u64 slot)
{
	struct pending *pending;
	__u64 start;

	pending = latency_find(latency_key(ctx, true, constant ? slot_constant() : slot));
	if (!pending)
		return 0;
	start = pending->start;
	pending_free(pending, start);
	now = sampling_time(start, now);
	hist_add(hist_at(hist_shard(), constant ? slot_constant() : slot), now);
	return 0;
}

SEC("kprobe")
int latency_return(void *ctx)
{
	__u64 now = bpf_ktime_get_ns(), slot;

	if (slot_is_constant())
		return ends(ctx, now, true, 0);
	return slot_number(ctx, &slot) ? ends(ctx, now, false, slot) : 0;
}

/* A session: runs at entry and at return. */
SEC("kprobe")
int latency_session(void *ctx)
{
	__u64 start, now, *shard, slot;

	if (!latency_is_return(ctx)) {
		if (!filter_pass() || sampling_skips())
			return latency_skip_return();
		*latency_cookie(ctx) = sampling_stamp(bpf_ktime_get_ns());
		return 0;
	}
	now = bpf_ktime_get_ns();
	start = *latency_cookie(ctx);
	if (latency_began_nothing(start))
		return 0;
	now = sampling_time(start, now);
	if (!slot_number(ctx, &slot))
		return 0;
	shard = hist_shard();
	hist_add(hist_at(shard, slot), now);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
