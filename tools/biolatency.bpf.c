// SPDX-License-Identifier: BSD-2-Clause
/*
 * Times disk requests, from when they are issued to the driver, or inserted into a queue, until they are done. The
 * address of a request identifies it while it is pending, and is soon used again: so inserting and issuing replace
 * an old start time.
 */
#include "bpf/block.bpf.h"
#include "bpf/block_merged.bpf.h"
#include "bpf/dist.bpf.h"
#include "tools/biolatency.h"

const volatile struct biolatency_config config SEC(".rodata.config");

SEC("raw_tp")
int inserted(void *ctx)
{
	struct request *rq = block_request(ctx);

	if (block_is_wanted(&config.wanted, rq))
		pending_begin((__u64)rq, bpf_ktime_get_ns());
	return 0;
}

/* Some requests bypass the queue; some come back from the driver and are issued again. */
SEC("raw_tp")
int issued(void *ctx)
{
	struct request *rq = block_request(ctx);

	if (!block_is_wanted(&config.wanted, rq))
		return 0;
	if (config.queued)
		pending_begin_once((__u64)rq, bpf_ktime_get_ns());
	else
		pending_begin((__u64)rq, bpf_ktime_get_ns());
	return 0;
}

static __always_inline void add(struct request *rq, __u64 value)
{
	union dist_key key = {};

	if (!dist_setup.keyed) {
		dist_add(0, value);
		return;
	}
	if (dist_setup.by == BIOLATENCY_FLAGS)
		key.number = block_flags(rq);
	else
		block_read_disk_name(rq, key.name, sizeof(key.name));
	dist_add_key(&key, NULL, value);
}

SEC("raw_tp")
int completed(void *ctx)
{
	__u64 now = bpf_ktime_get_ns(), began;
	struct request *rq = (void *)context_word(ctx, 0);

	if (block_is_done(ctx, rq) && pending_end((__u64)rq, &began))
		add(rq, pending_time(began, now));
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
