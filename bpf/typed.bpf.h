/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Plain loads from the kernel's structs. The verifier permits them where it knows the type of the pointer, and a load
 * takes one to ten instructions; the helper that reads any memory takes fifty. It knows the type of the current task
 * (5.11), of its registers (5.15), and of the arguments of a raw tracepoint that was attached so.
 *
 * A pointer that is loaded from one of these costs time when the program is armed. From 6.4 to 6.19 the verifier
 * searches the names of all the kernel's types for each such load, three or four times: 4 ms. So a program follows
 * pointers in global functions, through which the verifier goes once, and not on each path to them.
 */
#ifndef SONDE_BPF_TYPED_BPF_H
#define SONDE_BPF_TYPED_BPF_H

#include "vmlinux/vmlinux.h"
#include <bpf/bpf_core_read.h>
#include "bpf/patch.bpf.h"

/*
 * Whether the arguments of this raw tracepoint have types. Attach tries that first for programs that ask. To ask costs
 * an instruction. The answer is one that the verifier knows, and so it follows one way where a program tests it; a short
 * program is made twice by the compiler, so that it tests once:
 *
 *	return typed_arguments() ? record_switch(ctx, true) : record_switch(ctx, false);
 */
#define typed_arguments() patch_constant(PATCH_TYPED)

/* A field of a struct with CORE. typed: a constant, or what the verifier finds to be one */
#define typed_load(typed, from, field) ((typed) ? (from)->field : BPF_CORE_READ(from, field))
#define typed_load_bits(typed, from, field) \
	((typed) ? BPF_CORE_READ_BITFIELD(from, field) : BPF_CORE_READ_BITFIELD_PROBED(from, field))

/* A pointer that has a type as a number, which global functions take: the verifier knows nothing of what was negated. */
#define typed_number(pointer) \
	({ \
		__u64 _number = (__u64)(pointer); \
		asm volatile("%0 = -%0\n\t" \
			     "%0 = -%0" \
			     : "+r"(_number)); \
		_number; \
	})

enum bpf_func_id {
	BPF_FUNC_task_pt_regs = 175, /* since 5.15 */
};

/* Whether the current task and its registers have types. Both, since nothing tells 5.11 to 5.14 apart. */
#define typed_current() bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_task_pt_regs)

#endif
