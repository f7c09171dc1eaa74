/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the context of a program, however the program is attached: arguments and results of functions, arguments of
 * tracepoints, syscalls at their end. context_kind() is a constant in each copy, so the verifier removes the other
 * branches, and with them the helpers that an older kernel lacks.
 */
#ifndef SONDE_BPF_CONTEXT_BPF_H
#define SONDE_BPF_CONTEXT_BPF_H

#include "vmlinux/vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include "bpf/context.h"
#include "bpf/patch.bpf.h"
#include "bpf/slot.h"

#define context_kind() patch_constant(PATCH_CONTEXT)

/*
 * A word of the context. The verifier demands a constant offset in the load itself; the compiler might move it
 * elsewhere.
 */
#define context_word(ctx, index) \
	({ \
		__u64 _value; \
		asm volatile("%0 = *(u64 *)(%1 + %2)" \
			     : "=r"(_value) \
			     : "r"(ctx), "i"((index)*8)); \
		_value; \
	})

/* As context_word(), of 32 bits: the kernel refuses a program that reads beyond the end of a tracepoint's record. */
#define context_half(ctx, index) \
	({ \
		__u64 _value; \
		asm volatile("%0 = *(u32 *)(%1 + %2)" \
			     : "=r"(_value) \
			     : "r"(ctx), "i"((index)*4)); \
		(__u32) _value; \
	})

/* Whether a function was hit, and no tracepoint: for a program that has probes of both kinds. */
static __always_inline bool context_is_function(void)
{
	return context_kind() == CONTEXT_REGS || context_kind() == CONTEXT_TRACING;
}

/* Which probe of the tool was hit: its index in the table of probes. */
#define context_probe() patch_constant(PATCH_SLOT_VALUE)

/* A register in the context of a kprobe or uprobe, and those of the n-th argument and of the result; n is a constant. */
#if defined(__TARGET_ARCH_x86)
#define context_register(ctx, name) context_word(ctx, __builtin_offsetof(struct pt_regs, name) / 8)
#define context_register_ret(ctx)   context_register(ctx, ax)

static __always_inline __u64 context_register_arg(void *ctx, int n)
{
	switch (n) {
	case 0:
		return context_register(ctx, di);
	case 1:
		return context_register(ctx, si);
	case 2:
		return context_register(ctx, dx);
	case 3:
		return context_register(ctx, cx);
	case 4:
		return context_register(ctx, r8);
	default:
		return context_register(ctx, r9);
	}
}
#else
#define context_register(ctx, n)     context_word(ctx, __builtin_offsetof(struct user_pt_regs, regs) / 8 + (n))
#define context_register_ret(ctx)    context_register(ctx, 0)
#define context_register_arg(ctx, n) context_register(ctx, n)
#endif

/*
 * The n-th argument (n is a constant, 0 to 5) of a function at its entry, or of a raw tracepoint: the whole register,
 * of which a narrow type uses the lower bits. For a function with fewer arguments it is 0 by trampoline, otherwise
 * whatever the register holds.
 *
 * A trampoline knows the types of the arguments, and some kernels refuse a plain load of some types. The helper loads
 * any, and the kernel inlines it. Kernels that lack it (before 5.17) must not attach by trampoline: set
 * attach_options.arguments. A perf tracepoint has a record instead of arguments.
 */
#define context_arg(ctx, n) \
	({ \
		__u64 _kind = context_kind(), _arg = 0; \
		_Static_assert((n) >= 0 && (n) < 6, "an argument that all mechanisms have in a register"); \
		if (_kind == CONTEXT_TRACING) \
			bpf_get_func_arg(ctx, n, &_arg); \
		else if (_kind == CONTEXT_RAW_TP) \
			_arg = context_word(ctx, n); \
		else \
			_arg = context_register_arg(ctx, n); \
		_arg; \
	})

/* What a function returns, at its return: the whole register. By trampoline as for context_arg(). */
static __always_inline __u64 context_ret(void *ctx)
{
	__u64 ret = 0;

	if (context_kind() != CONTEXT_TRACING)
		return context_register_ret(ctx);
	bpf_get_func_ret(ctx, &ret);
	return ret;
}

/*
 * A syscall that returns. Its arguments are still in the registers of the task. User memory that the kernel has
 * read for it is present and can be read again.
 */
struct context_syscall {
	__s64 ret;
	__u64 args[6];
};

static __always_inline bool context_read_regs(struct pt_regs *regs, struct context_syscall *call)
{
#if defined(__TARGET_ARCH_x86)
	struct {
		unsigned long r10, r9, r8, ax, cx, dx, si, di;
	} now;

	if (bpf_probe_read_kernel(&now, sizeof(now), &regs->r10))
		return false;
	call->args[0] = now.di;
	call->args[1] = now.si;
	call->args[2] = now.dx;
	call->args[3] = now.r10;
	call->args[4] = now.r8;
	call->args[5] = now.r9;
#else
	if (bpf_probe_read_kernel(call->args, sizeof(call->args), regs->user_regs.regs))
		return false;
	/*
	 * the first register holds the result now; orig_x0, after the registers that user space sees, has the
	 * argument
	 */
	if (bpf_probe_read_kernel(&call->args[0], sizeof(call->args[0]), regs + 1))
		return false;
#endif
	return true;
}

/*
 * The result of a syscall. The probe is on its function (__x64_sys_X, whose argument is the registers) or on
 * sys_exit_X.
 */
static __always_inline __s64 context_result(void *ctx)
{
	__u64 kind = context_kind();

	if (kind == CONTEXT_TRACING || kind == CONTEXT_RAW_TP)
		return context_word(ctx, 1);
	if (kind == CONTEXT_TP || kind == CONTEXT_TP_REGS)
		return context_word(ctx, 2);
	return PT_REGS_RC((struct pt_regs *)ctx);
}

/* Reads the result and the arguments. More expensive than the result alone: only for calls that are wanted. */
static __always_inline bool context_sys_exit(void *ctx, struct context_syscall *call)
{
	__u64 kind = context_kind();
	struct pt_regs *regs = NULL;

	if (kind == CONTEXT_TRACING || kind == CONTEXT_RAW_TP)
		regs = (void *)context_word(ctx, 0);
	else if (kind != CONTEXT_TP_REGS)
		regs = (void *)bpf_task_pt_regs(bpf_get_current_task_btf());
	else if (bpf_probe_read_kernel(&regs, sizeof(regs), ctx)) /* no load may reach them here */
		return false;
	call->ret = context_result(ctx);
	return context_read_regs(regs, call);
}

#endif
