/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kinds of context. What a program gets depends on how it is attached; a program with several ways reads the
 * patch site PATCH_CONTEXT (bpf/patch.h), which holds the kind in each copy.
 */
#ifndef SONDE_BPF_CONTEXT_H
#define SONDE_BPF_CONTEXT_H

enum context_kind {
	CONTEXT_REGS,	 /* kprobe, uprobe: registers */
	CONTEXT_TRACING, /* fentry, fexit: arguments of the function, then its result */
	CONTEXT_RAW_TP,	 /* raw tracepoint: its arguments */
	CONTEXT_TP,	 /* perf tracepoint: its record */
	CONTEXT_TP_REGS, /* the same after the registers of the task: for kernels without a helper that gives these */
	CONTEXT_ITER,	 /* an iterator's object */
};

#endif
