/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Takes stacks: unwinds the user part, asks the kernel for its own part, and sends the frames of each distinct stack
 * once (bpf/stack.h). Programs store the id, or count by it:
 *
 *	e->stack = stack_keep(ctx);		in a record of "events"
 *
 *	key.stack = stack_keep(ctx);
 *	stack_add(&key, ns);			in "stack_counts"
 *
 * Works in programs of all types that attach loads. User space sizes the maps: "stacks", "stack_seen", "stack_counts",
 * "stack_slots"; and fills .rodata.stack.
 */
#ifndef SONDE_BPF_STACK_BPF_H
#define SONDE_BPF_STACK_BPF_H

#include "bpf/atomic.bpf.h"
#include "bpf/unwind.bpf.h"
#include "bpf/wakeup.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} stacks SEC(".maps");

/* The ids of stacks whose frames are in the ring buffer, or were. Preallocated: 5.10 demands it of samplers. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u64);
	__type(value, __u8);
} stack_seen SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct stack_key);
	__type(value, struct stack_count);
} stack_counts SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, STACK_LOSSES);
	__type(key, __u32);
	__type(value, __u64);
} stack_losses SEC(".maps");

static __always_inline void stack_lost(__u32 why)
{
	__u64 *losses = bpf_map_lookup_elem(&stack_losses, &why);

	/* atomic: a program in an interrupt may come between */
	if (losses)
		atomic_add(losses, 1);
}

/*
 * Takes a free slot of this processor. A program can interrupt another one, or preempt it, before or behind any of
 * these instructions: each adds itself, and the slot is its own only if it then finds itself alone. 5.10 has no
 * compare-and-swap. NULL: all are taken, which is counted.
 */
static __always_inline struct unwind_slot *stack_take(__u32 *number)
{
	__u32 first = bpf_get_smp_processor_id() * STACK_SLOTS;

	for (__u32 i = 0; i < STACK_SLOTS; i++) {
		__u32 key = first + i;
		struct unwind_slot *slot = bpf_map_lookup_elem(&stack_slots, &key);

		if (!slot)
			break;
		atomic_add(&slot->busy, 1);
		if (*(volatile __u64 *)&slot->busy == 1) {
			*number = key;
			return slot;
		}
		atomic_add(&slot->busy, -1);
	}
	stack_lost(STACK_LOST_BUSY);
	return NULL;
}

/* How many frames one call of stack_fold_some() hashes. */
#define STACK_FOLDS 16

/* Hashes kernel frames from one on. Returns 0 if there are none behind. Global as unwind_step() is. */
__noinline int stack_fold_some(__u32 number, __u32 from)
{
	struct unwind_slot *slot = bpf_map_lookup_elem(&stack_slots, &number);
	__u64 hash;

	if (!slot)
		return 0;
	hash = slot->hash;
	for (__u32 i = 0; i < STACK_FOLDS; i++) {
		barrier_var(i);
		if (from + i >= slot->record.n_kernel)
			break;
		hash = unwind_fold(hash, slot->record.frames[(slot->record.n_user + from + i) & (UNWIND_FRAMES - 1)]);
	}
	slot->hash = hash;
	return from + STACK_FOLDS < slot->record.n_kernel;
}

/* Completes the record: hashes the kernel frames and all else in it. Global as unwind_step() is. */
__noinline int stack_finish(__u32 number)
{
	struct unwind_slot *slot = bpf_map_lookup_elem(&stack_slots, &number);
	struct stack_record *record;
	__u64 hash, frames, flags;

	if (!slot)
		return 0;
	for (__u32 i = 0; i <= STACK_DEPTH; i += STACK_FOLDS) {
		barrier_var(i);
		if (!stack_fold_some(number, i))
			break;
	}
	record = &slot->record;
	hash = slot->hash;
	flags = slot->limited ? record->flags & ~(STACK_FRAME_POINTER | STACK_PARTIAL) : record->flags;
	hash = unwind_fold(hash, (__u64)record->pid << 32 | flags << 8 | record->end);
	hash = unwind_fold(hash, (__u64)record->n_user << 32 | record->n_kernel);
	frames = record->n_user + record->n_kernel;
	if (frames > STACK_DEPTH)
		frames = STACK_DEPTH;
	hash = hash << (64 - STACK_FRAMES_SHIFT) >> (64 - STACK_FRAMES_SHIFT);
	record->id = frames << STACK_FRAMES_SHIFT | (hash ? hash : 1);
	return 0;
}

/*
 * Sends the frames unless they were sent. The id is marked as seen only after that, so the frames of a marked id are in
 * the buffer. Two programs can send the same frames at the same time, and a full stack_seen takes no more ids: the
 * reader ignores frames that it has.
 */
static __always_inline void stack_send(struct unwind_slot *slot)
{
	__u64 size = slot->record.n_user + slot->record.n_kernel, wakeup;
	__u8 seen = 1;

	if (bpf_map_lookup_elem(&stack_seen, &slot->record.id))
		return;
	barrier_var(size);
	size = (size & (UNWIND_FRAMES - 1)) * 8 + sizeof(slot->record);
	/* names of an interpreter's frames are in memory that the process uses again soon */
	wakeup = slot->plan && slot->plan != INTERP_UNKNOWN && slot->record.pid ? BPF_RB_FORCE_WAKEUP : wakeup_flags(&stacks, size);
	if (bpf_ringbuf_output(&stacks, &slot->record, size, wakeup))
		stack_lost(STACK_LOST_BUFFER);
	else
		bpf_map_update_elem(&stack_seen, &slot->record.id, &seen, BPF_ANY);
}

/* What ends the own frames of this program; a program of the language runs by a trampoline for kprobes, too. */
static __always_inline __u64 stack_own_by(void *ctx)
{
	if (context_kind() != CONTEXT_TRACING)
		return STACK_OWN_NAMED;
	return stack_setup.func_ip ? bpf_get_func_ip(ctx) : STACK_OWN_CODE;
}

/* A function begins with the call of its trampoline, which returns behind it. */
#define STACK_OWN_ENTRY 32

/* Whether it is in .rodata.stack. Global as unwind_step() is: each frame and place are two ways to go. */
__noinline int stack_is_own(__u64 frame)
{
#pragma nounroll
	for (__u32 i = 0; i < STACK_OWN_MAX; i++) {
		__u64 from = stack_setup.own[i].from;

		if (!from)
			break;
		if (frame >= from && frame < stack_setup.own[i].to)
			return 1;
	}
	return 0;
}

/*
 * How many of the kernel frames that are first in the slot's record belong to the machinery that runs our program; and
 * whether it is known for sure. Global as unwind_step() is.
 */
__noinline int stack_own_frames(__u32 number, __u64 by)
{
	struct unwind_slot *slot = bpf_map_lookup_elem(&stack_slots, &number);
	__u32 own = 0, text = STACK_OWN_FRAMES;

	if (!slot)
		return 0;
#pragma nounroll
	for (__u32 i = 0; i < STACK_OWN_FRAMES; i++) {
		__u64 frame;

		barrier_var(i);
		if (i >= STACK_OWN_FRAMES || i >= slot->record.n_kernel)
			break;
		frame = slot->record.frames[i];
		if (by == STACK_OWN_NAMED) {
			if (stack_is_own(frame))
				own = i + 1;
			else if (own && i > own)
				break;
			continue;
		}
		if (frame - by < STACK_OWN_ENTRY) {
			text = i;
			break;
		}
		/* at the function's end newer kernels have its caller here, behind what runs the body of a loop */
		if (text == STACK_OWN_FRAMES && frame >= stack_setup.text.from && frame < stack_setup.text.to &&
		    !stack_is_own(frame))
			text = i;
	}
	if (text == STACK_OWN_FRAMES)
		return own;
	slot->record.flags |= STACK_NO_OWN;
	return text;
}

/* Up to `most` kernel frames, behind the user part; without the innermost `skip`. */
static __always_inline void stack_add_kernel(struct unwind_slot *slot, void *ctx, __u32 most, __u32 skip)
{
	__u64 n = slot->record.n_user;
	__u32 size = (most + skip) * 8;
	long got;

	barrier_var(n);
	n &= STACK_DEPTH;
	if (size > STACK_DEPTH * 8)
		size = STACK_DEPTH * 8;
	got = bpf_get_stack(ctx, &slot->record.frames[n], size, skip);
	/* before Linux 5.18 the frames that are skipped count for the size */
	n = got > 0 ? (__u64)got / 8 : 0;
	slot->record.n_kernel = n < most ? n : most;
	if (context_kind() == CONTEXT_REGS && slot->record.n_kernel)
		slot->record.flags |= STACK_NO_OWN;
}

/* How many frames to leave out for a stack with a limit. */
static __always_inline __u32 stack_skip_own(struct unwind_slot *slot, void *ctx, __u32 number)
{
	__u32 skip;

	if (context_kind() == CONTEXT_REGS)
		return 0;
	stack_add_kernel(slot, ctx, STACK_OWN_FRAMES, 0);
	skip = stack_own_frames(number, stack_own_by(ctx));
	barrier_var(skip);
	return skip > STACK_OWN_FRAMES ? 0 : skip;
}

/* stack_keep() of the kernel part's innermost frames, at most `limit`, not counting those that run our program. */
static __always_inline __u64 stack_keep_kernel(void *ctx, __u64 limit)
{
	__u32 number, most = stack_setup.kernel, skip = 0;
	struct unwind_slot *slot;
	__u64 id;

	slot = stack_take(&number);
	if (!slot)
		return 0;
	slot->limited = false;
	slot->hash = 0;
	slot->record = (struct stack_record){ .end = STACK_END_NO_USER };
	if (limit && limit < most) {
		most = limit;
		skip = stack_skip_own(slot, ctx, number);
	}
	if (most)
		stack_add_kernel(slot, ctx, most, skip);
	stack_finish(number);
	stack_send(slot);
	id = slot->record.id;
	atomic_add(&slot->busy, -1);
	return id;
}

/* The user part. */
static __always_inline void stack_walk(struct unwind_slot *slot, __u32 number)
{
	if (slot->plan && stack_setup.interpreted)
		interp_begin(number);
	if (unwind_walk(number))
		unwind_end(slot, STACK_END_DEPTH);
	if (slot->n_ahead || slot->next)
		interp_rest(number);
}

/*
 * stack_keep() of the user part, and of the kernel's, and of those only which .rodata.stack wants. limit: of the
 * innermost user frames only, if it is not 0. Such a stack is complete then, however many frames follow; and equal
 * frames have one id, however each was found.
 */
static __always_inline __u64 stack_keep_of(void *ctx, bool kernel, __u64 limit)
{
	__u32 number;
	struct unwind_slot *slot = stack_take(&number);
	__u64 id;

	if (!slot)
		return 0;
	slot->limited = false;
	slot->hash = 0;
	slot->record = (struct stack_record){ .end = STACK_END_NO_USER };
	if (stack_setup.user && unwind_begin(slot, ctx)) {
		if (limit && limit <= slot->depth) {
			slot->depth = limit;
			slot->limited = true;
		}
		stack_walk(slot, number);
		if (slot->limited && slot->record.n_user >= limit)
			slot->record.end = STACK_END_ROOT;
	}
	if (kernel && stack_setup.kernel)
		stack_add_kernel(slot, ctx, stack_setup.kernel, 0);
	stack_finish(number);
	stack_send(slot);
	id = slot->record.id;
	atomic_add(&slot->busy, -1);
	return id;
}

/*
 * Takes the stack of the current task and makes sure that its frames reach user space. Returns its id; 0: no slot was
 * free, which is counted.
 */
static __always_inline __u64 stack_keep(void *ctx)
{
	return stack_keep_of(ctx, true, 0);
}

/* Whether the current process is known to have an interpreter. */
static __always_inline bool stack_is_interpreted(void)
{
	__u32 tgid = unwind_process();
	const struct unwind_space *space = bpf_map_lookup_elem(&unwind_spaces, &tgid);

	return space && space->plan;
}

/* Counts a hit and its time. False: there is no room for one more key, which is counted. */
static __always_inline bool stack_add(const struct stack_key *key, __u64 ns)
{
	struct stack_count *count = bpf_map_lookup_elem(&stack_counts, key);

	/* clang 14 cannot compile an atomic add of a constant 0 */
	barrier_var(ns);
	if (!count) {
		struct stack_count first = { .count = 1, .ns = ns };

		if (!bpf_map_update_elem(&stack_counts, key, &first, BPF_NOEXIST))
			return true;
		/* another processor was faster, or there is no room */
		count = bpf_map_lookup_elem(&stack_counts, key);
	}
	if (!count) {
		stack_lost(STACK_LOST_COUNT);
		return false;
	}
	atomic_add(&count->count, 1);
	atomic_add(&count->ns, ns);
	return true;
}

#endif
