/* SPDX-License-Identifier: BSD-2-Clause */
/* The system call in progress of the current task: the registers that the kernel saved when the task entered it. */
#ifndef SONDE_BPF_WHY_REGS_BPF_H
#define SONDE_BPF_WHY_REGS_BPF_H

#include "bpf/sched.bpf.h"
#include "bpf/unwind_regs.bpf.h"
#include "bpf/why_thread.bpf.h"

struct why_regs {
	__u64 args[3];
	int nr; /* negative: no system call, but a fault or an interrupt */
	__u32 abi;
	__u64 sp; /* of its user stack */
};

/* Where a thread waits. An interpreter calls many functions at one depth, for other objects. */
static __always_inline __u16 why_place_of(const struct why_regs *regs, __u64 object)
{
	return (regs->sp + object) * WHY_MIX >> 48;
}

#if defined(__TARGET_ARCH_x86)
static __always_inline bool why_read_regs(struct why_regs *to)
{
	struct pt_regs *regs = unwind_task_regs((void *)bpf_get_current_task());
	struct {
		unsigned long dx, si, di, orig_ax, ip, cs, flags, sp;
	} now;

	if (bpf_probe_read_kernel(&now, sizeof(now), &regs->dx))
		return false;
	to->nr = now.orig_ax;
	to->args[0] = now.di;
	to->args[1] = now.si;
	to->args[2] = now.dx;
	to->sp = now.sp;
	to->abi = WHY_NATIVE;
	if (unwind_is_compat()) {
		unsigned long bx = 0, cx = 0;

		bpf_probe_read_kernel(&bx, sizeof(bx), &regs->bx);
		bpf_probe_read_kernel(&cx, sizeof(cx), &regs->cx);
		to->args[0] = (__u32)bx;
		to->args[1] = (__u32)cx;
		to->args[2] = (__u32)now.dx;
		to->abi = WHY_COMPAT;
	}
	return true;
}
#else
static __always_inline bool why_read_regs(struct why_regs *to)
{
	struct pt_regs *regs = unwind_task_regs((void *)bpf_get_current_task());
	struct {
		__u64 sp, pc, pstate, orig_x0;
		int nr;
	} call;

	if (bpf_probe_read_kernel(&call, sizeof(call), &regs->user_regs.sp) ||
	    bpf_probe_read_kernel(to->args, sizeof(to->args), regs))
		return false;
	to->args[0] = call.orig_x0;
	to->sp = call.sp;
	to->nr = call.nr;
	to->abi = unwind_is_compat() ? WHY_COMPAT : WHY_NATIVE;
	return true;
}
#endif

#endif
