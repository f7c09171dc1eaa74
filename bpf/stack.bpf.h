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
	__u64 hash, frames;

	if (!slot)
		return 0;
	for (__u32 i = 0; i <= STACK_DEPTH; i += STACK_FOLDS) {
		barrier_var(i);
		if (!stack_fold_some(number, i))
			break;
	}
	record = &slot->record;
	hash = slot->hash;
	hash = unwind_fold(hash, (__u64)record->pid << 32 | record->flags << 8 | record->end);
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
	wakeup = slot->plan && slot->record.pid ? BPF_RB_FORCE_WAKEUP : wakeup_flags(&stacks, size);
	if (bpf_ringbuf_output(&stacks, &slot->record, size, wakeup))
		stack_lost(STACK_LOST_BUFFER);
	else
		bpf_map_update_elem(&stack_seen, &slot->record.id, &seen, BPF_ANY);
}

/* The kernel part, behind the user part. */
static __always_inline void stack_add_kernel(struct unwind_slot *slot, void *ctx)
{
	__u64 n = slot->record.n_user;
	__u32 size = stack_setup.kernel * 8;
	long got;

	barrier_var(n);
	n &= STACK_DEPTH;
	if (size > STACK_DEPTH * 8)
		size = STACK_DEPTH * 8;
	got = bpf_get_stack(ctx, &slot->record.frames[n], size, 0);
	slot->record.n_kernel = got > 0 ? (__u64)got / 8 : 0;
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

/* stack_keep() of one part, or of both; and of those only which .rodata.stack wants. */
static __always_inline __u64 stack_keep_of(void *ctx, bool user, bool kernel)
{
	__u32 number;
	struct unwind_slot *slot = stack_take(&number);
	__u64 id;

	if (!slot)
		return 0;
	slot->hash = 0;
	slot->record = (struct stack_record){ .end = STACK_END_NO_USER };
	if (user && stack_setup.user && unwind_begin(slot, ctx))
		stack_walk(slot, number);
	if (kernel && stack_setup.kernel)
		stack_add_kernel(slot, ctx);
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
	return stack_keep_of(ctx, true, true);
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
