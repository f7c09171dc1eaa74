/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a recording says of a task: its state, its priority, the call that it is in. typed: its type is known
 * (bpf/typed.bpf.h).
 */
#ifndef SONDE_BPF_RECORD_TASK_BPF_H
#define SONDE_BPF_RECORD_TASK_BPF_H

#include "bpf/call.bpf.h"
#include "bpf/record.h"
#include "bpf/unwind_regs.bpf.h"
#include "bpf/task.bpf.h"

struct task_struct___record {
	int exit_state;
	unsigned in_iowait : 1;
} CORE;

/* Bits of the state that no tool shows (include/linux/sched.h). */
#define RECORD_TASK_IDLE   0x402  /* uninterruptible, and not part of the load */
#define RECORD_TASK_WAKING 0x200  /* another processor wakes it already: how it went to sleep is gone */
#define RECORD_TASK_OTHER  0x9000 /* waits for a lock of a real-time kernel; frozen */
/* Threads of the kernel, and those of io_uring and vhost (5.12, 6.4): they never enter it, and have no registers. */
#define RECORD_PF_NO_CALLS (PF_KTHREAD | 0x4010)

/* The state as ftrace reports it, of a task that leaves the processor by itself. */
static __always_inline __u32 record_task_state(struct task_struct *task, bool typed)
{
	struct task_struct___record *own = (void *)task;
	__u32 state = task_load_state(task, typed);

	if (!state)
		return RECORD_STATE_RUNNING;
	if (state & RECORD_TASK_WAKING)
		return RECORD_STATE_SLEEPS;
	if ((state & RECORD_TASK_IDLE) == RECORD_TASK_IDLE)
		return RECORD_STATE_IDLE;
	if (state & RECORD_TASK_OTHER)
		return RECORD_STATE_UNINTERRUPTIBLE;
	if (state & TASK_DEAD)
		return typed_load(typed, own, exit_state) & RECORD_STATE_ZOMBIE ? RECORD_STATE_ZOMBIE
										: RECORD_STATE_DEAD;
	return state & (RECORD_STATE_SLEEPS | RECORD_STATE_UNINTERRUPTIBLE | RECORD_STATE_STOPPED |
			RECORD_STATE_TRACED | RECORD_STATE_PARKED);
}

static __always_inline bool record_state_waits(__u32 state)
{
	return state && state != RECORD_STATE_PREEMPTED && !(state & (RECORD_STATE_DEAD | RECORD_STATE_ZOMBIE));
}

static __always_inline __u32 record_task_prio(struct task_struct *task, bool typed)
{
	return typed_load(typed, task, prio);
}

static __always_inline __u32 record_task_iowait(struct task_struct *task, bool typed)
{
	struct task_struct___record *own = (void *)task;

	return typed_load_bits(typed, own, in_iowait);
}

struct linux_binprm {
	const char *filename;
} CORE;

struct record_call {
	__s32 number;
	__u64 argument; /* the first */
};

/* The call that the current task is in. typed: `task` is a typed pointer to it. */
static __always_inline void record_task_call(struct task_struct *task, bool typed, struct record_call *call)
{
	struct call_regs now;
	struct pt_regs *regs;

	call->number = RECORD_NO_CALL;
	call->argument = 0;
	if (typed_load(typed, task, flags) & RECORD_PF_NO_CALLS)
		return;
	regs = unwind_task_regs(task);
	if (!call_read_regs(regs, typed_current(), &now) || now.number < 0)
		return;
	call->number = now.number;
	call->argument = now.argument;
	if (!unwind_is_compat())
		return;
	call->number += RECORD_CALL_32;
	call->argument = call_narrow_argument(regs, &now);
}

/* --- at the begin and the end of a call --- */

/* perf's record of raw_syscalls:sys_enter: the number, then the arguments. A raw tracepoint gets registers. */
#define RECORD_CALL_RECORD 1

static __always_inline bool record_call_arguments(void *ctx, bool typed, bool narrow, __u64 args[RECORD_ARGS])
{
	if (context_kind() != CONTEXT_RAW_TP) {
		args[0] = context_word(ctx, RECORD_CALL_RECORD + 1);
		args[1] = context_word(ctx, RECORD_CALL_RECORD + 2);
		args[2] = context_word(ctx, RECORD_CALL_RECORD + 3);
		args[3] = context_word(ctx, RECORD_CALL_RECORD + 4);
		args[4] = context_word(ctx, RECORD_CALL_RECORD + 5);
		args[5] = context_word(ctx, RECORD_CALL_RECORD + 6);
		return true;
	}
	return call_read_arguments((void *)context_word(ctx, 0), typed, narrow, args);
}

/* The number as it is at the end: rt_sigreturn has lost it, and exec has changed it. */
static __always_inline __s32 record_call_at_exit(void *ctx, bool typed)
{
	struct call_regs now = { .number = RECORD_NO_CALL };

	/* the first word of a perf record may not be loaded */
	if (context_kind() != CONTEXT_RAW_TP)
		return context_word(ctx, RECORD_CALL_RECORD);
	call_read_regs((void *)context_word(ctx, 0), typed, &now);
	return now.number;
}

#endif
