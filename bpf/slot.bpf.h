/* SPDX-License-Identifier: BSD-2-Clause */
/* slot_counter(): finds the counter of the target that was hit, in the shard of this processor. See bpf/slot.h. */
#ifndef SONDE_BPF_SLOT_BPF_H
#define SONDE_BPF_SLOT_BPF_H

#include "vmlinux/vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include "bpf/patch.bpf.h"
#include "bpf/slot.h"

const volatile struct slot_hash slot_hash SEC(".rodata.slot");

/*
 * Sized and filled by user space before the load. Sizes are powers of two, so that a shift and a mask bound the
 * indices.
 */
const volatile __u32 slot_buckets[2] SEC(".rodata.buckets");
const volatile struct slot_cell slot_cells[4] SEC(".rodata.cells");

/* Hides from the compiler the declared size of an array, which user space changes. */
#define slot_begin(array) \
	({ \
		typeof(&(array)[0]) _begin = (array); \
		asm volatile("" \
			     : "+r"(_begin)); \
		_begin; \
	})

static __always_inline __u32 slot_by_ip(__u64 key)
{
	__u64 product = key * slot_hash.multiplier;
	__u32 displacement = slot_begin(slot_buckets)[product >> slot_hash.bucket_shift];
	__u64 i = ((__u32)product + displacement) & slot_hash.cell_mask;
	const volatile struct slot_cell *cell = &slot_begin(slot_cells)[i];

	return cell->key == (__u32)key ? cell->slot : SLOT_NONE;
}

/*
 * The probed address. On x86 the saved ip is one byte after it, behind the int3, also if ftrace or a jump replaces
 * that.
 */
static __always_inline __u64 slot_regs_ip(struct pt_regs *regs)
{
#if defined(__TARGET_ARCH_x86)
	return PT_REGS_IP(regs) - 1;
#else
	return PT_REGS_IP(regs);
#endif
}

/*
 * The address of the kprobe that runs on this processor. The kernel keeps it in a variable, also while it handles a
 * return, and is not preempted meanwhile.
 */
static __always_inline __u64 slot_kprobe_ip(void)
{
	__u64 at = patch_constant(PATCH_CPU_OFFSETS) + bpf_get_smp_processor_id() * sizeof(at);

	bpf_probe_read_kernel(&at, sizeof(at), (void *)at);
	at += patch_constant(PATCH_KPROBE);
	bpf_probe_read_kernel(&at, sizeof(at), (void *)at);
	bpf_probe_read_kernel(&at, sizeof(at), (void *)(at + SLOT_KPROBE_ADDR));
	return at;
}

/*
 * The number of the syscall that the current task is in, read from the registers as the kernel's syscall
 * tracepoints do. 32-bit tasks have other numbers; they are left out, as by those tracepoints.
 */
static __always_inline __u32 slot_syscall(struct pt_regs *regs)
{
#if defined(__TARGET_ARCH_x86)
	struct {
		unsigned long orig_ax, ip, cs;
	} now = {};

	if (bpf_probe_read_kernel(&now, sizeof(now), &regs->orig_ax) || (__u16)now.cs == USER32_CS)
		return SLOT_NONE;
	return now.orig_ax;
#else
	struct {
		__u64 pstate, orig_x0;
		__s32 syscallno;
	} now = {};

	if (bpf_probe_read_kernel(&now, sizeof(now), &regs->user_regs.pstate) || now.pstate & PSR_MODE32)
		return SLOT_NONE;
	return now.syscallno;
#endif
}

/* Whether a run of the program may be interrupted by another one that writes to the same shard. */
#define slot_shared() (patch_constant(PATCH_SLOT_SHARED) != 0)

/*
 * The begin of this processor's shard in an array of shards, which user space has sized. The address of the array
 * is in the program, and the mask shows the verifier how many shards there are: no lookup, no branch. The helper is
 * called as if it returned 64 bits, as every helper in fact does; the cast to void * keeps the compiler from
 * warning.
 */
#define slot_shard(array) \
	({ \
		__u64 _at = ((__u64(*)(void))(void *)bpf_get_smp_processor_id)(); \
		asm volatile("%0 &= %1; %0 *= %2" \
			     : "+r"(_at) \
			     : "i"(PATCH_SHARDS), "i"(PATCH_SHARD_SIZE)); \
		(typeof(&(array)[0]))((void *)slot_begin(array) + _at); \
	})

/* The slot by cookie, address or syscall number. All types have 64 bits: narrower ones cost additional moves. */
static __always_inline __u64 slot_of(void *ctx, __u64 how)
{
	if (how == SLOT_COOKIE)
		return bpf_get_attach_cookie(ctx) & SLOT_COOKIE_MASK;
	if (how == SLOT_FUNC_IP)
		return slot_by_ip(bpf_get_func_ip(ctx) + patch_constant(PATCH_SLOT_VALUE));
	if (how == SLOT_KPROBE_IP)
		return slot_by_ip(slot_kprobe_ip() + patch_constant(PATCH_SLOT_VALUE));
	if (how == SLOT_SYSCALL)
		return slot_by_ip(slot_syscall((void *)((struct bpf_raw_tracepoint_args *)ctx)->args[0]) +
				  patch_constant(PATCH_SLOT_VALUE));
	if (how == SLOT_SYSCALL_TASK)
		return slot_by_ip(slot_syscall((void *)bpf_task_pt_regs(bpf_get_current_task_btf())) +
				  patch_constant(PATCH_SLOT_VALUE));
	return slot_by_ip(slot_regs_ip(ctx));
}

#define slot_is_constant() (patch_constant(PATCH_SLOT_HOW) == SLOT_CONSTANT)
#define slot_constant()	   patch_constant(PATCH_SLOT_VALUE)

/* *slot: the slot of the target that was hit. False: it has none. */
static __always_inline bool slot_number(void *ctx, __u64 *slot)
{
	if (slot_is_constant()) {
		*slot = slot_constant();
		return true;
	}
	*slot = slot_of(ctx, patch_constant(PATCH_SLOT_HOW));
	return *slot < slot_hash.n_slots;
}

/*
 * *counter: the counter of the target that was hit, in this processor's shard. False: it has none. A constant slot
 * is read last: a value that lives across a call needs a register that must be saved.
 */
static __always_inline bool slot_counter(void *ctx, __u64 *array, __u64 **counter)
{
	__u64 how = patch_constant(PATCH_SLOT_HOW), slot;

	if (how == SLOT_CONSTANT) {
		*counter = slot_shard(array);
		*counter += patch_constant(PATCH_SLOT_VALUE);
		return true;
	}
	slot = slot_of(ctx, how);
	if (slot >= slot_hash.n_slots)
		return false;
	*counter = slot_shard(array) + slot;
	return true;
}

#endif
