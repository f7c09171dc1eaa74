/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hist_add() counts a value in a histogram (bpf/hist.h). The kind of histogram is a patch site. A value is a number or,
 * with sampling, what sampling_time() returns.
 *
 *	__u64 *shard = hist_shard();
 *
 *	hist_add(hist_at(shard, slot), ns);
 *
 * Each processor has a shard of histograms: see slot_shard().
 */
#ifndef SONDE_BPF_HIST_BPF_H
#define SONDE_BPF_HIST_BPF_H

#include "bpf/atomic.bpf.h"
#include "bpf/hist.h"
#include "bpf/sampling.bpf.h"
#include "bpf/slot.bpf.h"

/* User space sets the size. */
SEC(".data.hist")
__u64 hist_cells[1] = {};

/* The shard of this processor. Calls a helper: a value that lives across the call needs a saved register. */
#define hist_shard() slot_shard(hist_cells)

/* The histogram of that number in a shard. The verifier must know the bounds of the number. */
static __always_inline __u64 *hist_at(__u64 *shard, __u64 number)
{
	asm volatile("%0 *= %1"
		     : "+r"(number)
		     : "i"(PATCH_HIST_STRIDE));
	return (void *)shard + number;
}

static __always_inline void hist_grow(__u64 *cell, __u64 by)
{
	if (slot_shared())
		atomic_add(cell, by);
	else
		*cell += by;
}

/* A mask or a test bounds the bucket for the verifier, which cannot derive the bound from the arithmetic. */
static __always_inline void hist_count(__u64 *cells, __u64 value, __u64 weight)
{
	__u64 kind = patch_constant(PATCH_HIST_KIND), unit = patch_constant(PATCH_HIST_UNIT), at;

	hist_grow(&cells[HIST_SUM], value * weight);
	if (unit != 1)
		value /= unit;
	if (kind == HIST_SINGLE) {
		at = 0;
	} else if (kind == HIST_LOG2) {
		at = hist_log2(value) & (HIST_LOG2_BUCKETS - 1);
	} else if (kind == HIST_LINEAR) {
		at = hist_linear(value, patch_constant(PATCH_HIST_STEP));
	} else if (kind == HIST_BOUNDS) {
		at = hist_bounded(value, patch_constant(PATCH_HIST_STEP));
		if (at >= HIST_BOUNDS_BUCKETS)
			return;
	} else {
		at = hist_precise(value);
		if (at >= HIST_PRECISE_BUCKETS)
			return;
		/* programs that write at once may leave a smaller maximum; the bucket is counted in any case */
		if (value > cells[HIST_MAX])
			cells[HIST_MAX] = value;
	}
	hist_grow(&cells[HIST_BUCKETS + at], weight);
}

/* With sampling, a value carries its weight. */
static __always_inline void hist_add(__u64 *cells, __u64 value)
{
	if (sampling_on())
		hist_count(cells, value >> SAMPLING_BITS, 1ULL << (value & SAMPLING_MASK));
	else
		hist_count(cells, value, 1);
}

#endif
