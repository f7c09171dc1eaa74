/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The user registers with which unwinding begins, and what else differs between architectures: the code that returns
 * from a signal handler, and signed return addresses. Knows no tables.
 */
#ifndef SONDE_BPF_UNWIND_REGS_BPF_H
#define SONDE_BPF_UNWIND_REGS_BPF_H

#include "bpf/context.bpf.h"
#include "bpf/typed.bpf.h"

struct unwind_regs {
	__u64 pc, sp, fp;
	__u64 lr; /* arm64: the return address of a function that has called none yet */
};

/* Room for the words that a step reads from memory. */
#define UNWIND_WORDS 16

/* A kernel stack, at whose end the user registers are. BTF does not say it; so it is on kernels before 5.15. */
#define UNWIND_KERNEL_STACK 16384

/* The kernel's own struct, which is longer than the one of the ABI on arm64. */
struct pt_regs___kernel {
	unsigned long first;
} CORE;

struct task_struct___stack {
	void *stack;
	unsigned int flags;
} CORE;

struct mm_struct___unwind {
	unsigned long task_size;
	struct {
		void *vdso;
	} context;
} CORE;

#define UNWIND_PF_FORKNOEXEC 0x00000040
#define UNWIND_PF_KTHREAD    0x00200000

/* Where the kernel has saved the user registers of a task. */
static __always_inline void *unwind_task_regs(struct task_struct *task)
{
	struct task_struct___stack *own = (void *)task;

	if (typed_current())
		return (void *)bpf_task_pt_regs(bpf_get_current_task_btf());
	return (void *)BPF_CORE_READ(own, stack) + UNWIND_KERNEL_STACK -
	       bpf_core_type_size(struct pt_regs___kernel);
}

#if defined(__TARGET_ARCH_x86)
#define UNWIND_TS_COMPAT 2

/* 1 or 0 in the lowest bit: whether the current task is in a call of 32 bits, which 64-bit programs can make, too. */
static __always_inline __u32 unwind_compat_bit(void)
{
	struct task_struct *task;

	if (typed_current())
		return bpf_get_current_task_btf()->thread_info.status / UNWIND_TS_COMPAT;
	task = (void *)bpf_get_current_task();
	return BPF_CORE_READ(task, thread_info.status) / UNWIND_TS_COMPAT;
}

/* Takes the registers of the context. False: they are the kernel's. *narrow: of a 32-bit program. */
static __always_inline bool unwind_context_regs(void *ctx, struct unwind_regs *regs, bool *narrow)
{
	__u64 cs = context_register(ctx, cs);

	if ((cs & 3) != 3)
		return false;
	*narrow = cs == USER32_CS;
	regs->pc = context_register(ctx, ip);
	regs->sp = context_register(ctx, sp);
	regs->fp = context_register(ctx, bp);
	regs->lr = 0;
	return true;
}

/*
 * Reads saved registers. False: there are none, or they are the kernel's. *exact: ip is the instruction that was
 * interrupted or comes next. A system call is like any other call: the instruction behind it may belong to another
 * function. It leaves that instruction's address in cx.
 */
static __always_inline bool unwind_read_regs(struct pt_regs *from, __u64 words[UNWIND_WORDS], struct unwind_regs *regs,
					     bool *narrow, bool *exact)
{
#define UNWIND_WORD(member) \
	words[(__builtin_offsetof(struct pt_regs, member) - __builtin_offsetof(struct pt_regs, bp)) / 8]
	if (bpf_probe_read_kernel(words, __builtin_offsetof(struct pt_regs, ss) - __builtin_offsetof(struct pt_regs, bp),
				  &from->bp) ||
	    (UNWIND_WORD(cs) & 3) != 3)
		return false;
	*narrow = UNWIND_WORD(cs) == USER32_CS;
	regs->pc = UNWIND_WORD(ip);
	regs->sp = UNWIND_WORD(sp);
	regs->fp = UNWIND_WORD(bp);
	regs->lr = 0;
	*exact = UNWIND_WORD(cx) != regs->pc;
	return true;
#undef UNWIND_WORD
}

/* mov $15, %rax; syscall (of which the last byte is left out): rt_sigreturn(2). glibc, musl and Go write it so. */
#define UNWIND_SIGRETURN 0x0f0000000fc0c748ULL
/* Where the registers of the interrupted place are above SP: struct rt_sigframe, whose first word was taken by ret. */
#define UNWIND_SIGNAL_REGS  120 /* bp */
#define UNWIND_SIGNAL_WORDS 7
#define UNWIND_SIGNAL_FP    0
#define UNWIND_SIGNAL_LR    0
#define UNWIND_SIGNAL_SP    5
#define UNWIND_SIGNAL_IP    6

#define unwind_address(address, mask) (address)
#define unwind_address_mask()	      0

/* execve and execveat, of 64 bits and of 32 */
static __always_inline bool unwind_is_in_exec(void)
{
	struct pt_regs *regs = unwind_task_regs((void *)bpf_get_current_task());
	__u64 number = 0;

	bpf_probe_read_kernel(&number, sizeof(number), &regs->orig_ax);
	return number == 59 || number == 322 || number == 11 || number == 358;
}

#else

struct pt_regs___number {
	__s32 syscallno;
} CORE;

static __always_inline bool unwind_is_in_exec(void)
{
	struct pt_regs___number *regs = unwind_task_regs((void *)bpf_get_current_task());
	__s32 number = BPF_CORE_READ(regs, syscallno);

	return number == 221 || number == 281 || number == 11 || number == 387;
}

/* 1 or 0 in the lowest bit: whether the current task is one of 32 bits. */
static __always_inline __u32 unwind_compat_bit(void)
{
	struct pt_regs *regs = unwind_task_regs((void *)bpf_get_current_task());
	__u64 pstate = 0;

	if (typed_current())
		return regs->user_regs.pstate / PSR_MODE32;
	bpf_probe_read_kernel(&pstate, sizeof(pstate), &regs->user_regs.pstate);
	return pstate / PSR_MODE32;
}

static __always_inline bool unwind_context_regs(void *ctx, struct unwind_regs *regs, bool *narrow)
{
	__u64 pstate = context_word(ctx, __builtin_offsetof(struct user_pt_regs, pstate) / 8);

	if (pstate & 0xf)
		return false;
	*narrow = pstate & PSR_MODE32;
	regs->pc = context_word(ctx, __builtin_offsetof(struct user_pt_regs, pc) / 8);
	regs->sp = *narrow ? context_register(ctx, 13) : context_word(ctx, __builtin_offsetof(struct user_pt_regs, sp) / 8);
	regs->fp = *narrow ? context_register(ctx, 11) : context_register(ctx, 29);
	regs->lr = context_register(ctx, 30);
	return true;
}

static __always_inline bool unwind_read_regs(struct pt_regs *from, __u64 words[UNWIND_WORDS], struct unwind_regs *regs,
					     bool *narrow, bool *exact)
{
	/* x29, x30, sp, pc, pstate */
	if (bpf_probe_read_kernel(words, 5 * sizeof(*words), &from->user_regs.regs[29]) || (words[4] & 0xf))
		return false;
	*narrow = words[4] & PSR_MODE32;
	regs->fp = words[0];
	regs->lr = words[1];
	regs->sp = words[2];
	regs->pc = words[3];
	if (!*narrow)
		return true;
	if (bpf_probe_read_kernel(words, 3 * sizeof(*words), &from->user_regs.regs[11]))
		return false;
	regs->fp = words[0];
	regs->sp = words[2];
	return true;
}

/* mov x8, #139; svc #0: rt_sigreturn(2), in the vDSO, whose .eh_frame leaves it out. */
#define UNWIND_SIGRETURN	      0xd4000001d2801168ULL
#define UNWIND_SIGNAL_REGS	      544 /* x29 in struct rt_sigframe; then come x30, sp, pc */
#define UNWIND_SIGNAL_WORDS	      4
#define UNWIND_SIGNAL_FP	      0
#define UNWIND_SIGNAL_LR	      1
#define UNWIND_SIGNAL_SP	      2
#define UNWIND_SIGNAL_IP	      3

/* A return address can be signed in the bits above the largest address of the program. */
#define unwind_address(address, mask) ((address) & (mask))

static __always_inline __u64 unwind_address_mask(void)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct mm_struct___unwind *mm = (void *)BPF_CORE_READ(task, mm);
	__u64 size = BPF_CORE_READ(mm, task_size);

	/* a 32-bit program has no signatures, and a size of almost 4 GB */
	return size & (size - 1) ? ~0ULL : size - 1;
}

#endif

/* What the lowest bit says. */
static __always_inline bool unwind_is_compat(void)
{
	return unwind_compat_bit() & 1;
}

/*
 * Finds the user registers of the current task: in the context if a sample or a uprobe hit user code, else where the
 * kernel saved them when the task entered it. False: a kernel thread, or a task that exits. words: scratch memory.
 */
static __always_inline bool unwind_user_regs(void *ctx, __u64 words[UNWIND_WORDS], struct unwind_regs *regs,
					     bool *narrow, bool *exact)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct task_struct___stack *own = (void *)task;

	if (context_kind() == CONTEXT_REGS && unwind_context_regs(ctx, regs, narrow))
		return true;
	if (BPF_CORE_READ(own, flags) & UNWIND_PF_KTHREAD || !BPF_CORE_READ(task, mm))
		return false;
	return unwind_read_regs(unwind_task_regs(task), words, regs, narrow, exact);
}

#endif
