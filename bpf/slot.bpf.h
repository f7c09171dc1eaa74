/* SPDX-License-Identifier: BSD-2-Clause */
/* slot_of(ctx): the slot of the target that fired, or SLOT_NONE. See bpf/slot.h. */
#ifndef SONDE_SLOT_BPF_H
#define SONDE_SLOT_BPF_H

#include "vmlinux/vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include "bpf/slot.h"

const volatile struct slot_hash slot_hash SEC(".rodata.slot");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} slot_buckets SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct slot_cell);
} slot_cells SEC(".maps");

/* volatile: the compiler must not fold the mark into anything user space would not find */
#define slot_constant(mark)                                                \
	({                                                                 \
		__u64 _value;                                              \
		asm volatile("%0 = %1 ll" : "=r"(_value) : "i"(mark));     \
		_value;                                                    \
	})

static __always_inline __u32 slot_by_ip(__u64 key)
{
	__u64 product = key * slot_hash.multiplier;
	__u32 i = product >> slot_hash.bucket_shift;
	__u32 *displacement = bpf_map_lookup_elem(&slot_buckets, &i);
	struct slot_cell *cell;

	if (!displacement)
		return SLOT_NONE;
	i = ((__u32)product + *displacement) & slot_hash.cell_mask;
	cell = bpf_map_lookup_elem(&slot_cells, &i);
	if (!cell || cell->key != (__u32)key)
		return SLOT_NONE;
	return cell->slot;
}

/* Where the breakpoint is: on x86 the saved ip is behind the one-byte int3, also when ftrace or a jump replaces it. */
static __always_inline __u64 slot_regs_ip(struct pt_regs *regs)
{
#if defined(__TARGET_ARCH_x86)
	return PT_REGS_IP(regs) - 1;
#else
	return PT_REGS_IP(regs);
#endif
}

static __always_inline __u32 slot_of(void *ctx)
{
	__u64 how = slot_constant(SLOT_MARK_HOW);
	__u64 value = slot_constant(SLOT_MARK_VALUE);

	if (how == SLOT_COOKIE)
		return bpf_get_attach_cookie(ctx);
	if (how == SLOT_FUNC_IP)
		return slot_by_ip(bpf_get_func_ip(ctx) + value);
	if (how == SLOT_REGS_IP)
		return slot_by_ip(slot_regs_ip(ctx));
	return value;
}

#endif
