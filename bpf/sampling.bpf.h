/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sampling: to cost less, programs that fill histograms measure one of 2, 4 or 8 things that begin, and count it so
 * many times. The totals stay unbiased estimates. User space may change the ratio at any time.
 *
 *	at the begin	if (sampling_skips()) ...; else pending->start = sampling_stamp(bpf_ktime_get_ns());
 *	at the end	hist_add(cells, sampling_time(pending->start, now));
 *
 * The choice is made at the begin. What is left out stores no start, so its end finds none. A start carries the ratio
 * that it was chosen with, and so does the value that hist_add() takes: a stamp is the number << SAMPLING_BITS, and the
 * log2 of the ratio.
 *
 * sampling_on() is a constant in each copy. Without sampling, stamps and values are plain numbers.
 */
#ifndef SONDE_BPF_SAMPLING_BPF_H
#define SONDE_BPF_SAMPLING_BPF_H

#include "bpf/patch.bpf.h"
#include "bpf/pending.bpf.h"
#include "bpf/sampling.h"

/* The log2 of the ratio. Created only if it is used. */
__u64 sampling_shift SEC(".data.sampling") = 0;

#define sampling_on() (patch_constant(PATCH_SAMPLING) != 0)

/*
 * Whether to leave out what begins now. The choice is random, because a counter would be in step with a load that
 * repeats: of a call that is slow every other time, it would see only the slow ones, or none.
 */
static __always_inline bool sampling_skips(void)
{
	__u64 shift;

	if (!sampling_on())
		return false;
	shift = *(volatile __u64 *)&sampling_shift;
	return shift && (__u32)bpf_get_prandom_u32() >> (32 - (shift & SAMPLING_MASK));
}

/* If user space changes the ratio after sampling_skips(), one thing has a wrong weight. */
static __always_inline __u64 sampling_stamp(__u64 now)
{
	return sampling_on() ? now << SAMPLING_BITS | (*(volatile __u64 *)&sampling_shift & SAMPLING_MASK) : now;
}

/* The time since a stamp, a value for hist_add(). */
static __always_inline __u64 sampling_time(__u64 stamp, __u64 now)
{
	if (!sampling_on())
		return pending_time(stamp, now);
	return pending_time(stamp >> SAMPLING_BITS, now) << SAMPLING_BITS | (stamp & SAMPLING_MASK);
}

/* --- by id, as in bpf/pending.bpf.h --- */

/* Begins, or is left out; forgets an earlier begin, whose end was not seen. */
static __always_inline void sampling_begin_at(__u64 id, __u64 now)
{
	__u64 began;

	if (sampling_skips())
		pending_end(id, &began);
	else
		pending_begin(id, sampling_stamp(now));
}

static __always_inline void sampling_begin(__u64 id)
{
	__u64 began;

	if (sampling_skips())
		pending_end(id, &began);
	else
		pending_begin(id, sampling_stamp(bpf_ktime_get_ns()));
}

/*
 * Keeps an earlier begin. One that was left out is not known any more, and is chosen again: for what rarely begins
 * twice.
 */
static __always_inline void sampling_begin_once(__u64 id)
{
	if (!pending_find(pending_key(id)) && !sampling_skips())
		pending_begin(id, sampling_stamp(bpf_ktime_get_ns()));
}

#endif
