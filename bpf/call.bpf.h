/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The number and the arguments of a system call, from the registers of its task: at its begin, at its end, or in the
 * middle of it. By plain loads where the kernel says the type of the registers (bpf/typed.bpf.h), else by a helper.
 */
#ifndef SONDE_BPF_CALL_BPF_H
#define SONDE_BPF_CALL_BPF_H

#include "bpf/context.bpf.h"
#include "bpf/typed.bpf.h"
#include "bpf/unwind_regs.bpf.h"

#define CALL_ARGS 6

struct call_regs {
	__u64 argument; /* the first */
	__s64 number;
};

#if defined(__TARGET_ARCH_x86)
static __always_inline bool call_read_regs(struct pt_regs *regs, bool typed, struct call_regs *to)
{
	if (!typed)
		return !bpf_probe_read_kernel(to, sizeof(*to), &regs->di);
	to->argument = regs->di;
	to->number = regs->orig_ax;
	return true;
}

static __always_inline __u64 call_narrow_argument(struct pt_regs *regs, const struct call_regs *from)
{
	__u64 bx = 0;

	bpf_probe_read_kernel(&bx, sizeof(bx), &regs->bx);
	return (__u32)bx;
}

/* Of a call of 32 bits, which passes its arguments in other registers. */
static __always_inline bool call_read_narrow(struct pt_regs *regs, __u64 args[CALL_ARGS])
{
	struct {
		__u64 bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di;
	} now;

	if (bpf_probe_read_kernel(&now, sizeof(now), &regs->bp))
		return false;
	args[0] = (__u32)now.bx;
	args[1] = (__u32)now.cx;
	args[2] = (__u32)now.dx;
	args[3] = (__u32)now.si;
	args[4] = (__u32)now.di;
	args[5] = (__u32)now.bp;
	return true;
}

static __always_inline void call_load_arguments(struct pt_regs *regs, __u64 args[CALL_ARGS])
{
	args[0] = regs->di;
	args[1] = regs->si;
	args[2] = regs->dx;
	args[3] = regs->r10;
	args[4] = regs->r8;
	args[5] = regs->r9;
}
#else
/* Behind the registers that user space sees. */
struct pt_regs___call {
	__u64 orig_x0;
	__s32 syscallno;
} CORE;

static __always_inline bool call_read_regs(struct pt_regs *regs, bool typed, struct call_regs *to)
{
	struct pt_regs___call *call = (void *)regs;

	to->argument = typed_load(typed, call, orig_x0);
	to->number = typed_load(typed, call, syscallno);
	return true;
}

static __always_inline __u64 call_narrow_argument(struct pt_regs *regs, const struct call_regs *from)
{
	return from->argument;
}

static __always_inline bool call_read_narrow(struct pt_regs *regs, __u64 args[CALL_ARGS])
{
	struct context_syscall call = {};

	if (!context_read_regs(regs, &call))
		return false;
	__builtin_memcpy(args, call.args, sizeof(call.args));
	return true;
}

static __always_inline void call_load_arguments(struct pt_regs *regs, __u64 args[CALL_ARGS])
{
	args[0] = ((struct pt_regs___call *)regs)->orig_x0;
	args[1] = regs->user_regs.regs[1];
	args[2] = regs->user_regs.regs[2];
	args[3] = regs->user_regs.regs[3];
	args[4] = regs->user_regs.regs[4];
	args[5] = regs->user_regs.regs[5];
}
#endif

/* narrow: it is a call of 32 bits. False: the registers cannot be read. */
static __always_inline bool call_read_arguments(struct pt_regs *regs, bool typed, bool narrow, __u64 args[CALL_ARGS])
{
	struct context_syscall call = {};

	if (narrow)
		return call_read_narrow(regs, args);
	if (typed) {
		call_load_arguments(regs, args);
		return true;
	}
	if (!context_read_regs(regs, &call))
		return false;
	__builtin_memcpy(args, call.args, sizeof(call.args));
	return true;
}

/*
 * Raw tracepoints have the registers as an argument. Where those would miss hits, since programs are preempted, the
 * programs are those of perf's tracepoints, which have a record: a word, then the number. The task has its registers.
 */
static __always_inline struct pt_regs *call_regs_of(void *ctx)
{
	if (context_kind() == CONTEXT_RAW_TP)
		return (void *)context_word(ctx, 0);
	return unwind_task_regs((void *)bpf_get_current_task());
}

#endif
