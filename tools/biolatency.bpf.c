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

/* The start of a request that sampling leaves out. */
#define LEFT_OUT 0

const volatile struct biolatency_config config SEC(".rodata.config");

SEC("raw_tp")
int inserted(void *ctx)
{
	struct request *rq = block_request(ctx);

	if (!block_is_wanted(&config.wanted, rq))
		return 0;
	/* remember a request that is left out, too: else issuing it would begin it */
	if (sampling_skips())
		pending_begin((__u64)rq, LEFT_OUT);
	else
		pending_begin((__u64)rq, sampling_stamp(bpf_ktime_get_ns()));
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
		sampling_begin_once((__u64)rq);
	else
		sampling_begin((__u64)rq);
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

	if (!block_is_done(ctx, rq) || !pending_end((__u64)rq, &began))
		return 0;
	if (!sampling_on() || began != LEFT_OUT)
		add(rq, sampling_time(began, now));
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
