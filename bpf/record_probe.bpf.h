/* SPDX-License-Identifier: BSD-2-Clause */
/* What a recording has of a probe of the user's: the arguments of a function, the record of a tracepoint. */
#ifndef SONDE_BPF_RECORD_PROBE_BPF_H
#define SONDE_BPF_RECORD_PROBE_BPF_H

#include "bpf/context.bpf.h"
#include "bpf/record.h"

/* By the number of the probe. */
const volatile struct record_shape record_tracepoints[RECORD_TRACEPOINTS_MAX] SEC(".rodata.tracepoints") = {};

static __always_inline void record_read_arguments_of(void *ctx, __u64 args[RECORD_ARGS])
{
	args[0] = context_arg(ctx, 0);
	args[1] = context_arg(ctx, 1);
	args[2] = context_arg(ctx, 2);
	args[3] = context_arg(ctx, 3);
	args[4] = context_arg(ctx, 4);
	args[5] = context_arg(ctx, 5);
}

/* The words of a tracepoint's fields, and of the texts behind them. */
static __always_inline __u32 record_tracepoint_words(void *ctx, const volatile struct record_shape *shape)
{
	__u32 words = shape->words, last = 0, end;

	if (!shape->loc)
		return words;
	bpf_probe_read_kernel(&last, sizeof(last), ctx + shape->loc * 4);
	/* where it ends in perf's record, whose first word is not in ours */
	end = ((last & 0xffff) + (last >> 16) + 7) / sizeof(__u64);
	if (end > words + 1)
		words = end - 1;
	return words < RECORD_TRACEPOINT_WORDS ? words : RECORD_TRACEPOINT_WORDS;
}

#endif
