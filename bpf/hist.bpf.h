/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hist_add(): a value into a row of cells (bpf/hist.h), the kind of histogram being a constant of this copy of the program.
 *
 *	__u64 *row = hist_row(slot);
 *
 *	hist_add(row, ns);
 *
 * Rows are for each processor: see slot_row(), whose marks say how many there are and how large all of one processor's are.
 */
#ifndef SONDE_HIST_BPF_H
#define SONDE_HIST_BPF_H

#include "bpf/atomic.bpf.h"
#include "bpf/hist.h"
#include "bpf/slot.bpf.h"

/* Sized by user space. */
SEC(".data.hist")
__u64 hist_cells[1] = {};

/* This processor's first row. Calls a helper: what is kept across it takes a register. */
#define hist_rows() slot_row(hist_cells)

/* Of these rows the one with that number, which the verifier knows the bounds of. */
static __always_inline __u64 *hist_row(__u64 *rows, __u64 number)
{
	asm volatile("%0 *= %1"
		     : "+r"(number)
		     : "i"(HIST_MARK_STRIDE));
	return (void *)rows + number;
}

static __always_inline void hist_grow(__u64 *cell, __u64 by)
{
	if (slot_shared())
		atomic_add(cell, by);
	else
		*cell += by;
}

/* The verifier is told where the bucket cannot be, though the arithmetic says it: a mask or a test. */
static __always_inline void hist_add(__u64 *row, __u64 value)
{
	__u64 kind = mark_constant(HIST_MARK_KIND), unit = mark_constant(HIST_MARK_UNIT), at;

	hist_grow(&row[HIST_SUM], value);
	if (unit != 1)
		value /= unit;
	if (kind == HIST_SINGLE) {
		at = 0;
	} else if (kind == HIST_LOG2) {
		at = hist_log2(value) & (HIST_LOG2_BUCKETS - 1);
	} else if (kind == HIST_LINEAR) {
		at = hist_linear(value, mark_constant(HIST_MARK_STEP));
	} else {
		at = hist_precise(value);
		if (at >= HIST_PRECISE_BUCKETS)
			return;
		/* two that write at once may leave the smaller one: at most a bucket off, and the bucket itself is right */
		if (value > row[HIST_MAX])
			row[HIST_MAX] = value;
	}
	hist_grow(&row[HIST_BUCKETS + at], 1);
}

#endif
