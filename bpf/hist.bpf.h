/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hist_add() counts a value in a histogram (bpf/hist.h), whose kind is a constant of this copy of the program.
 *
 *	__u64 *shard = hist_shard();
 *
 *	hist_add(hist_at(shard, slot), ns);
 *
 * Each processor has a shard of histograms: see slot_shard().
 */
#ifndef SONDE_HIST_BPF_H
#define SONDE_HIST_BPF_H

#include "bpf/atomic.bpf.h"
#include "bpf/hist.h"
#include "bpf/slot.bpf.h"

/* Sized by user space. */
SEC(".data.hist")
__u64 hist_cells[1] = {};

/* This processor's histograms. Calls a helper: what is kept across the call takes a register. */
#define hist_shard() slot_shard(hist_cells)

/* A shard's histogram of that number. The verifier knows the bounds of the number. */
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

/* The verifier is told where the bucket cannot be, though the arithmetic says it: a mask or a test. */
static __always_inline void hist_add(__u64 *cells, __u64 value)
{
	__u64 kind = patch_constant(PATCH_HIST_KIND), unit = patch_constant(PATCH_HIST_UNIT), at;

	hist_grow(&cells[HIST_SUM], value);
	if (unit != 1)
		value /= unit;
	if (kind == HIST_SINGLE) {
		at = 0;
	} else if (kind == HIST_LOG2) {
		at = hist_log2(value) & (HIST_LOG2_BUCKETS - 1);
	} else if (kind == HIST_LINEAR) {
		at = hist_linear(value, patch_constant(PATCH_HIST_STEP));
	} else {
		at = hist_precise(value);
		if (at >= HIST_PRECISE_BUCKETS)
			return;
		/* two that write at once may leave the smaller one: at most a bucket off, and the bucket itself is right */
		if (value > cells[HIST_MAX])
			cells[HIST_MAX] = value;
	}
	hist_grow(&cells[HIST_BUCKETS + at], 1);
}

#endif
