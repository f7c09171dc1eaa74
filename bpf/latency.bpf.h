/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The time between the entry and the return of a function. If the kernel runs one program at both ends (a session),
 * it keeps the start time for us; else two programs share the pending table (bpf/pending.bpf.h):
 *
 *	at entry        entry = latency_claim(key);  pending_head(entry)->start = bpf_ktime_get_ns();
 *	at return       now = bpf_ktime_get_ns();  entry = latency_find(key);  ... ;  pending_free(entry, start);
 */
#ifndef SONDE_BPF_LATENCY_BPF_H
#define SONDE_BPF_LATENCY_BPF_H

#include "bpf/context.bpf.h"
#include "bpf/filter.bpf.h"
#include "bpf/latency.h"
#include "bpf/pending.bpf.h"

/* Odd numbers with well mixed bits: multiplying maps different ids to different numbers. */
#define LATENCY_MIX_PROCESS   0xc2b2ae3d27d4eb4fULL
#define LATENCY_MIX_GOROUTINE 0x9fb21c651e98df25ULL

static __u64 (*latency_is_return)(void *ctx) = (void *)PATCH_CALL_IS_RETURN;
static __u64 *(*latency_cookie)(void *ctx) = (void *)PATCH_CALL_COOKIE;

/*
 * Whether the entry of a session has begun nothing. A trampoline runs the program at the return even so, whatever it
 * returned at the entry, and also if the kernel skipped it there. The cookie is 0 then.
 */
static __always_inline bool latency_began_nothing(__u64 cookie)
{
	return context_kind() == CONTEXT_TRACING && !cookie;
}

/*
 * What a session's program returns at an entry whose return is of no interest. kprobe.multi then leaves the return out. A
 * trampoline runs the program at the return all the same, and the verifier accepts nothing but 0 there.
 */
static __always_inline int latency_skip_return(void)
{
	return context_kind() != CONTEXT_TRACING;
}

/*
 * The frame of a call. A trampoline gives both programs the same context, on the stack. Else the frame is the stack
 * pointer; on x86 that is one word higher at a return probe, when the return address has been popped. The verifier permits
 * no arithmetic on a pointer, but the difference of two pointers; the second one is always the same.
 */
static __always_inline __u64 latency_frame(void *ctx, bool ret)
{
	__u64 frame = (__u64)ctx;

	if (context_kind() == CONTEXT_TRACING) {
		asm volatile("%0 -= %1"
			     : "+r"(frame)
			     : "r"(slot_begin(pending_entries)));
		return frame;
	}
	frame = PT_REGS_SP((struct pt_regs *)ctx);
#if defined(__TARGET_ARCH_x86)
	if (ret && patch_constant(PATCH_LATENCY) == LATENCY_RETURN)
		frame -= sizeof(__u64);
#endif
	return frame;
}

#define latency_is_go() (patch_constant(PATCH_LATENCY) == LATENCY_GO)

/* The current goroutine, which Go keeps in a register (abi-internal.md). */
static __always_inline __u64 latency_goroutine(void *ctx)
{
#if defined(__TARGET_ARCH_x86)
	return ((struct pt_regs *)ctx)->r14;
#else
	return ((struct user_pt_regs *)ctx)->regs[28];
#endif
}

/*
 * How far the stack pointer is below the upper end of the goroutine's stack. The struct of a goroutine begins with
 * the bounds of its stack (src/runtime/runtime2.go). 0: the stack pointer is not between them, so the register
 * holds no goroutine.
 */
static __always_inline __u64 latency_go_frame(void *ctx)
{
	__u64 g = latency_goroutine(ctx), sp = PT_REGS_SP((struct pt_regs *)ctx);
	struct {
		__u64 lo, hi;
	} stack;

	if (bpf_probe_read_user(&stack, sizeof(stack), (void *)g) || sp < stack.lo || sp >= stack.hi)
		return 0;
	return g * LATENCY_MIX_GOROUTINE + (stack.hi - sp);
}

/* Reads the arguments of a Go function, from the registers in the order of Go's calling convention. */
static __always_inline void latency_go_args(void *regs, __u64 *args)
{
#if defined(__TARGET_ARCH_x86)
	args[0] = context_register(regs, ax);
	args[1] = context_register(regs, bx);
	args[2] = context_register(regs, cx);
	args[3] = context_register(regs, di);
	args[4] = context_register(regs, si);
	args[5] = context_register(regs, r8);
#else
	args[0] = context_register(regs, 0);
	args[1] = context_register(regs, 1);
	args[2] = context_register(regs, 2);
	args[3] = context_register(regs, 3);
	args[4] = context_register(regs, 4);
	args[5] = context_register(regs, 5);
#endif
}

/*
 * The key of a call. The process is part of it for kernel functions, too: with a filter, a return may arrive whose
 * entry was left out, and must not find an entry that another process has left in the same frame.
 */
static __always_inline __u64 latency_key(void *ctx, bool ret, __u64 slot)
{
	__u64 frame = latency_is_go() ? latency_go_frame(ctx) : latency_frame(ctx, ret);

	if (latency_is_go() && !frame)
		return 0;
	if (latency_is_go() || filter.any || (context_kind() != CONTEXT_TRACING && (__s64)frame >= 0))
		frame += (bpf_get_current_pid_tgid() >> 32) * LATENCY_MIX_PROCESS;
	return frame * PENDING_MIX ^ slot;
}

/* Claims an entry for a call that begins. */
static __always_inline PENDING *latency_claim(__u64 key)
{
	if (latency_is_go() && !key) {
		pending_lost(PENDING_NO_ID);
		return NULL;
	}
	return pending_claim(key);
}

static __always_inline PENDING *latency_find(__u64 key)
{
	if (latency_is_go() && !key)
		return NULL;
	return pending_find(key);
}

/* A call begins that is not measured: frees the entry of an earlier one with the same key, whose end was not seen. */
static __always_inline void latency_forget(__u64 key)
{
	PENDING *pending = latency_find(key);

	if (!pending)
		return;
	pending_lost(PENDING_NO_END);
	pending_free(pending, pending_head(pending)->start);
}

#endif
