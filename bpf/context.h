/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a program gets when its probe is hit depends on how it is attached. A program that runs in
 * several ways asks PATCH_CONTEXT (bpf/patch.h), which tells each copy.
 */
#ifndef SONDE_CONTEXT_H
#define SONDE_CONTEXT_H

enum context_kind {
	CONTEXT_REGS,	 /* kprobe, uprobe: registers */
	CONTEXT_TRACING, /* fentry, fexit: the function's arguments, then its result */
	CONTEXT_RAW_TP,	 /* raw tracepoint: its arguments */
	CONTEXT_TP,	 /* perf's tracepoint: its record */
	CONTEXT_TP_REGS, /* the same, with the task's registers in front of it: older kernels, which have no helper for these */
};

#endif
