// SPDX-License-Identifier: BSD-2-Clause
/* The latency engine: how long calls take, in a histogram for each function or one for all. */
#include "bpf/hist.bpf.h"
#include "bpf/latency.bpf.h"

SEC("kprobe")
int latency_entry(void *ctx)
{
	struct latency_cell *cell;
	__u64 slot;

	if (!filter_pass() || !slot_number(ctx, &slot))
		return 0;
	cell = latency_claim(latency_key(ctx, false, slot));
	if (cell)
		cell->start = bpf_ktime_get_ns();
	return 0;
}

SEC("kprobe")
int latency_return(void *ctx)
{
	__u64 now = bpf_ktime_get_ns(), *rows = hist_rows(), slot, start;
	struct latency_cell *cell;

	if (!slot_number(ctx, &slot))
		return 0;
	cell = latency_find(latency_key(ctx, true, slot));
	if (!cell)
		return 0;
	start = cell->start;
	latency_free(cell, start);
	hist_add(hist_row(rows, slot), now - start);
	return 0;
}

/* Both ends; at entry 1 says that the return is of no interest. */
SEC("kprobe")
int latency_session(void *ctx)
{
	__u64 now, *rows, slot;

	if (!latency_is_return(ctx)) {
		if (!filter_pass())
			return 1;
		*latency_cookie(ctx) = bpf_ktime_get_ns();
		return 0;
	}
	now = bpf_ktime_get_ns();
	now -= *latency_cookie(ctx);
	if (!slot_number(ctx, &slot))
		return 0;
	rows = hist_rows();
	hist_add(hist_row(rows, slot), now);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
