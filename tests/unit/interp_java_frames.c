// SPDX-License-Identifier: BSD-2-Clause
/*
 * bpf/interp_java.bpf.h as it is for arm64, on any machine: how code is left that makes, has or leaves its frame, at each
 * of its instructions. Code and stack are arrays here, and what the program reads elsewhere is a bad address.
 */
#include <criterion/criterion.h>
#include <linux/types.h>

#include "base/base.h"

#define SONDE_BPF_INTERP_BPF_H
#undef __TARGET_ARCH_x86
#define __TARGET_ARCH_arm64

#include "bpf/interp.h"
#include "bpf/stack.h"

#undef __noinline
#undef __always_inline
#define __noinline	static __attribute__((unused))
#define __always_inline inline
#define barrier_var(v)	(void)(v)

/* What of the walk the header uses. */
static struct unwind_slot {
	struct {
		__u64 pc, sp, fp, lr;
	} regs;
	struct {
		__u32 pid, n_user;
		__u8 flags, end;
	} record;
	struct {
		__u64 runtime;
	} space;
	__u64 hash, before, ahead[512];
	__u32 tgid, depth, plan, steps;
	bool exact, has_lr, top, noted;
} the_slot;

static struct {
	bool native;
} stack_setup;
static int stack_slots, interp_plans;

static struct {
	__u32 heap[256];
	__u64 stack[512];
} memory;

static long bpf_probe_read_user(void *to, __u64 n, const void *from)
{
	__u64 at = (__u64)from - (__u64)&memory;

	if (at > sizeof(memory) || n > sizeof(memory) - at)
		return -EFAULT;
	memcpy(to, from, n);
	return 0;
}

static long bpf_probe_read_kernel(void *to, __u64 n, const void *from)
{
	return -EFAULT;
}

static __u64 bpf_get_current_task(void)
{
	return 0;
}

static __u64 *unwind_task_regs(void *task)
{
	return task;
}

static void *bpf_map_lookup_elem(const void *map, const void *key)
{
	return NULL;
}

static void unwind_add_frame(struct unwind_slot *slot, __u64 n, __u64 frame)
{
}

#include "bpf/interp_java.bpf.h"

/* Of a head, which is in words here. */
static const struct interp_java java = { .block_size = 16, .head_size = 64, .code_at = 0, .complete = 8, .name = 16 };

#define NOP    0xd503201fU
#define SUB    0xd10083ffU /* sub sp, sp, #32 */
#define STORE  0xa9017bfdU /* stp x29, x30, [sp, #16] */
#define SET    0x910043fdU /* add x29, sp, #16 */
#define LOAD   0xa9417bfdU /* ldp x29, x30, [sp, #16] */
#define ADD    0x910083ffU /* add sp, sp, #32 */
#define PUSH   0xa9bf7bfdU /* stp x29, x30, [sp, #-16]! */
#define MOVE   0x910003fdU /* mov x29, sp */
#define MORE   0xd11003ffU /* sub sp, sp, #1024 */
#define POLL   0xf9400f88U /* ldr x8, [x28, #24] */
#define TOUCH  0xb940011fU /* ldr wzr, [x8] */
#define RET    0xd65f03c0U
#define BRANCH 0x17fffff0U

/* Where the code is; where its caller's frame begins, and where that goes on. The frame pointer of the caller is a number. */
#define CODE   64
#define CALLER 256
#define RETURN ((__u64)&memory.heap[16])
#define FP     0x1234

/* Code of n instructions whose frame is complete at one of them. Below the caller's frame is nothing yet. */
static struct unwind_slot *begin(const __u32 *code, size_t n, int complete)
{
	struct java_walk *walk = java_walk_of(&the_slot);

	memset(&memory, 0, sizeof(memory));
	memset(&the_slot, 0, sizeof(the_slot));
	memcpy(&memory.heap[CODE], code, n * sizeof(*code));
	walk->low = (__u64)memory.heap;
	walk->size = sizeof(memory.heap);
	walk->interpreter = (__u64)memory.heap;
	walk->interpreter_size = 32;
	walk->head[0] = (__u64)&memory.heap[CODE];
	walk->head[1] = complete * 4;
	the_slot.exact = the_slot.has_lr = true;
	the_slot.regs.lr = RETURN;
	the_slot.regs.fp = FP;
	return &the_slot;
}

/*
 * Interrupted at an instruction, with the stack pointer so many words below the caller's frame. The caller is the same
 * method: at the same place of its own frame is the same address. pair: where the two are, in words from SP on; -1: in
 * registers.
 */
static void expect_left(const __u32 *code, size_t n, int complete, int at, int below, int pair, __u64 size)
{
	struct unwind_slot *slot = begin(code, n, complete);

	slot->regs.pc = (__u64)&memory.heap[CODE + at];
	slot->regs.sp = (__u64)&memory.stack[CALLER - below];
	memory.stack[CALLER + size / 8 - 1] = RETURN;
	memory.stack[CALLER + size / 8 - 2] = 1;
	if (pair >= 0) {
		memory.stack[CALLER - below + pair] = FP;
		memory.stack[CALLER - below + pair + 1] = RETURN;
		slot->regs.fp = 2;
	}
	cr_assert(java_leave(slot, &java, (__u64)memory.heap, size), "instruction %d", at);
	cr_expect_eq(slot->regs.pc, RETURN - 1, "instruction %d", at);
	cr_expect_eq(slot->regs.sp, (__u64)&memory.stack[CALLER], "instruction %d: %lld words", at,
		     (long long)(slot->regs.sp - (__u64)memory.stack) / 8 - CALLER);
	cr_expect_eq(slot->regs.fp, FP, "instruction %d", at);
}

Test(interp_java_frames, small)
{
	static const __u32 code[] = { NOP, SUB, STORE, SET, NOP, NOP, LOAD, ADD, POLL, TOUCH, RET };
	const size_t n = ARRAY_SIZE(code);

	expect_left(code, n, 5, 0, 0, -1, 32);
	expect_left(code, n, 5, 1, 0, -1, 32);
	expect_left(code, n, 5, 2, 4, -1, 32);
	for (int at = 3; at <= 6; at++)
		expect_left(code, n, 5, at, 4, 2, 32);
	expect_left(code, n, 5, 7, 4, -1, 32);
	for (int at = 8; at <= 10; at++)
		expect_left(code, n, 5, at, 0, -1, 32);
}

Test(interp_java_frames, large)
{
	static const __u32 code[] = { NOP, PUSH, MOVE, MORE, NOP, NOP, BRANCH };
	const size_t n = ARRAY_SIZE(code);

	expect_left(code, n, 5, 0, 0, -1, 1024 + 16);
	expect_left(code, n, 5, 1, 0, -1, 1024 + 16);
	expect_left(code, n, 5, 2, 2, 0, 1024 + 16);
	expect_left(code, n, 5, 3, 2, 0, 1024 + 16);
	expect_left(code, n, 5, 4, 130, 128, 1024 + 16);
	expect_left(code, n, 5, 5, 130, 128, 1024 + 16);
}

/* The poll of a loop is in a whole frame. */
Test(interp_java_frames, polls_of_loops)
{
	static const __u32 code[] = { SUB, STORE, POLL, TOUCH, BRANCH };

	expect_left(code, ARRAY_SIZE(code), 2, 2, 4, 2, 32);
	expect_left(code, ARRAY_SIZE(code), 2, 3, 4, 2, 32);
}

/* A stub of 8 segments of 4 bytes, whose name says nothing. fp: where its caller's frame pointer leads. */
static bool leave_stub(__u64 lr, __u64 pair, const __u32 *code, size_t n, int at)
{
	struct unwind_slot *slot = begin(code, n, 0);

	java_walk_of(slot)->shift = 2;
	memory.heap[CODE - 4] = 8 + 4;
	memcpy(&memory.heap[32], "StubRoutines (1)", 16);
	java_walk_of(slot)->head[2] = (__u64)&memory.heap[32];
	slot->regs.lr = lr;
	slot->regs.sp = (__u64)&memory.stack[CALLER];
	slot->regs.fp = (__u64)&memory.stack[CALLER + 8];
	memory.stack[CALLER + 8] = FP;
	memory.stack[CALLER + 9] = pair;
	slot->regs.pc = (__u64)&memory.heap[CODE + at];
	return java_leave_stub(slot, &java, (__u64)&memory.heap[CODE]);
}

Test(interp_java_frames, stubs)
{
	static const __u32 leaf[] = { NOP, NOP, RET }, whole[] = { PUSH, MOVE, NOP, NOP, NOP };
	const __u64 other = (__u64)&memory.heap[20], own = (__u64)&memory.heap[CODE + 4];

	cr_assert(leave_stub(RETURN, other, leaf, 3, 1));
	cr_expect(the_slot.regs.pc == RETURN - 1 && the_slot.regs.sp == (__u64)&memory.stack[CALLER], "a leaf");
	cr_expect_eq(the_slot.regs.fp, (__u64)&memory.stack[CALLER + 8]);
	cr_assert(leave_stub(RETURN, other, whole, 5, 0));
	cr_expect_eq(the_slot.regs.pc, RETURN - 1, "not begun");
	cr_assert(leave_stub(RETURN, RETURN, whole, 5, 3));
	cr_expect(the_slot.regs.pc == RETURN - 1 && the_slot.regs.sp == (__u64)&memory.stack[CALLER + 10], "before its first call");
	cr_assert(leave_stub(own, other, whole, 5, 4));
	cr_expect(the_slot.regs.pc == other - 1 && the_slot.regs.fp == FP, "behind a call");
	cr_assert(leave_stub(0x10, other, whole, 5, 4));
	cr_expect_eq(the_slot.regs.pc, other - 1, "behind a call of C code that it has not made itself");
}

Test(interp_java_frames, called_by_compiled)
{
	struct unwind_slot *slot = begin((const __u32[]){ NOP }, 1, 0);
	struct java_walk *walk = java_walk_of(slot);

	walk->frame[JAVA_FP + 1] = (__u64)&memory.heap[20];
	cr_expect(java_is_called_by_compiled(slot), "it has no frame");
	slot->regs.lr = (__u64)&memory.heap[2];
	cr_expect_not(java_is_called_by_compiled(slot), "the interpreter calls");
	slot->regs.lr = 0x10;
	cr_expect_not(java_is_called_by_compiled(slot));
	slot->regs.lr = walk->frame[JAVA_FP + 1];
	cr_expect_not(java_is_called_by_compiled(slot), "it has one");
}
