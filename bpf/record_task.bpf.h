/* SPDX-License-Identifier: BSD-2-Clause */
/* What a recording says of a task: its state, its priority, the call that it is in. */
#ifndef SONDE_RECORD_TASK_BPF_H
#define SONDE_RECORD_TASK_BPF_H

#include "bpf/record.h"
#include "bpf/unwind_regs.bpf.h"
#include "bpf/task.bpf.h"

struct thread_info___record {
	__u32 cpu; /* the processor, on kernels where it is not in task_struct */
} CORE;

struct task_struct___record {
	struct thread_info___record thread_info;
	unsigned int cpu; /* until 5.15, and on architectures that have it there */
	int prio;
	int exit_state;
	unsigned in_iowait : 1;
} CORE;

/* Bits of the state that no tool shows (include/linux/sched.h). */
#define RECORD_TASK_IDLE  0x402	 /* uninterruptible, and not part of the load */
#define RECORD_TASK_OTHER 0x9000 /* waits for a lock of a real-time kernel; frozen */
/* Threads of the kernel, and those of io_uring and vhost (5.12, 6.4): they never enter it, and have no registers. */
#define RECORD_PF_NO_CALLS (PF_KTHREAD | 0x4010)

/* The state as ftrace reports it, of a task that leaves the processor by itself. */
static __always_inline __u32 record_task_state(struct task_struct *task)
{
	struct task_struct___record *own = (void *)task;
	__u32 state = task_state(task);

	if (!state)
		return RECORD_STATE_RUNNING;
	if ((state & RECORD_TASK_IDLE) == RECORD_TASK_IDLE)
		return RECORD_STATE_IDLE;
	if (state & RECORD_TASK_OTHER)
		return RECORD_STATE_UNINTERRUPTIBLE;
	if (state & TASK_DEAD)
		return BPF_CORE_READ(own, exit_state) & RECORD_STATE_ZOMBIE ? RECORD_STATE_ZOMBIE : RECORD_STATE_DEAD;
	return state & (RECORD_STATE_SLEEPS | RECORD_STATE_UNINTERRUPTIBLE | RECORD_STATE_STOPPED |
			RECORD_STATE_TRACED | RECORD_STATE_PARKED);
}

static __always_inline bool record_state_waits(__u32 state)
{
	return state && state != RECORD_STATE_PREEMPTED && !(state & (RECORD_STATE_DEAD | RECORD_STATE_ZOMBIE));
}

static __always_inline __u32 record_task_prio(struct task_struct *task)
{
	struct task_struct___record *own = (void *)task;

	return BPF_CORE_READ(own, prio);
}

/* Where it ran last. */
static __always_inline __u32 record_task_cpu(struct task_struct *task)
{
	struct task_struct___record *own = (void *)task;

	if (bpf_core_field_exists(own->cpu))
		return BPF_CORE_READ(own, cpu);
	if (bpf_core_field_exists(own->thread_info.cpu))
		return BPF_CORE_READ(own, thread_info.cpu);
	return 0; /* a kernel for one processor */
}

static __always_inline __u32 record_task_iowait(struct task_struct *task)
{
	struct task_struct___record *own = (void *)task;

	return BPF_CORE_READ_BITFIELD_PROBED(own, in_iowait);
}

struct linux_binprm {
	const char *filename;
} CORE;

struct record_call {
	__s32 number;
	__u64 argument; /* the first */
};

#if defined(__TARGET_ARCH_x86)
#define RECORD_TS_COMPAT 0x2

/* Whether the call is one of 32 bits, which has other registers and numbers. */
static __always_inline bool record_call_is_32(struct task_struct *task)
{
	return BPF_CORE_READ(task, thread_info.status) & RECORD_TS_COMPAT;
}

static __always_inline void record_read_call(struct task_struct *task, struct pt_regs *regs, struct record_call *call)
{
	struct {
		__u64 di, orig_ax;
	} now = {};
	__u64 bx = 0;

	if (bpf_probe_read_kernel(&now, sizeof(now), &regs->di) || (__s64)now.orig_ax < 0)
		return;
	call->number = now.orig_ax;
	call->argument = now.di;
	if (!record_call_is_32(task))
		return;
	call->number += RECORD_CALL_32;
	bpf_probe_read_kernel(&bx, sizeof(bx), &regs->bx);
	call->argument = (__u32)bx;
}
#else
static __always_inline bool record_call_is_32(struct task_struct *task)
{
	struct pt_regs *regs = unwind_task_regs(task);
	__u64 pstate = 0;

	bpf_probe_read_kernel(&pstate, sizeof(pstate), &regs->user_regs.pstate);
	return pstate & PSR_MODE32;
}

/* Behind the registers that user space sees are orig_x0, the first argument, and the number. */
static __always_inline void record_read_call(struct task_struct *task, struct pt_regs *regs, struct record_call *call)
{
	struct {
		__u64 pstate, argument;
		__s32 number, unused;
	} now = {};

	if (bpf_probe_read_kernel(&now, sizeof(now), &regs->user_regs.pstate) || now.number < 0)
		return;
	call->number = now.number + (now.pstate & PSR_MODE32 ? RECORD_CALL_32 : 0);
	call->argument = now.argument;
}
#endif

/* The call that the current task is in. */
static __always_inline void record_task_call(struct task_struct *task, struct record_call *call)
{
	call->number = RECORD_NO_CALL;
	call->argument = 0;
	if (!(BPF_CORE_READ(task, flags) & RECORD_PF_NO_CALLS))
		record_read_call(task, unwind_task_regs(task), call);
}

/* --- at the begin and the end of a call --- */

/* perf's record of raw_syscalls:sys_enter: the number, then the arguments. A raw tracepoint gets registers. */
#define RECORD_CALL_RECORD 1

#if defined(__TARGET_ARCH_x86)
static __always_inline bool record_read_arguments(struct pt_regs *regs, bool narrow, struct context_syscall *call)
{
	struct {
		__u64 bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di;
	} now;

	if (!narrow)
		return context_read_regs(regs, call);
	if (bpf_probe_read_kernel(&now, sizeof(now), &regs->bp))
		return false;
	call->args[0] = (__u32)now.bx;
	call->args[1] = (__u32)now.cx;
	call->args[2] = (__u32)now.dx;
	call->args[3] = (__u32)now.si;
	call->args[4] = (__u32)now.di;
	call->args[5] = (__u32)now.bp;
	return true;
}
#else
static __always_inline bool record_read_arguments(struct pt_regs *regs, bool narrow, struct context_syscall *call)
{
	return context_read_regs(regs, call);
}
#endif

static __always_inline bool record_call_arguments(void *ctx, bool narrow, struct context_syscall *call)
{
	if (context_kind() == CONTEXT_RAW_TP)
		return record_read_arguments((void *)context_word(ctx, 0), narrow, call);
	call->args[0] = context_word(ctx, RECORD_CALL_RECORD + 1);
	call->args[1] = context_word(ctx, RECORD_CALL_RECORD + 2);
	call->args[2] = context_word(ctx, RECORD_CALL_RECORD + 3);
	call->args[3] = context_word(ctx, RECORD_CALL_RECORD + 4);
	call->args[4] = context_word(ctx, RECORD_CALL_RECORD + 5);
	call->args[5] = context_word(ctx, RECORD_CALL_RECORD + 6);
	return true;
}

/* The number as it is at the end: rt_sigreturn has lost it, and exec has changed it. */
static __always_inline __u32 record_call_at_exit(void *ctx)
{
	struct pt_regs *regs;
	__u64 number = 0;

	/* the first word of a perf record may not be loaded */
	if (context_kind() != CONTEXT_RAW_TP)
		return context_word(ctx, RECORD_CALL_RECORD);
	regs = (void *)context_word(ctx, 0);
#if defined(__TARGET_ARCH_x86)
	bpf_probe_read_kernel(&number, sizeof(number), &regs->orig_ax);
#else
	bpf_probe_read_kernel(&number, sizeof(__u32), (void *)regs + sizeof(*regs) + sizeof(__u64));
#endif
	return number;
}

#endif
