/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes records into the ring of this processor (bpf/ring.h), over the oldest ones:
 *
 *	struct ring_place place;
 *	__u64 *record = ring_reserve(&place, RING_BODY + 2);
 *
 *	if (!record)
 *		return 0;
 *	record[RING_BODY] = ...;
 *	record[RING_BODY + 1] = ...;
 *	ring_commit(&place, KIND, RING_BODY + 2);
 *
 * ring_reserve() has filled in the time. Each record that was reserved must be committed, with as many words, and
 * nothing else may be reserved between the two. The number of words may vary; then the program checks its accesses.
 */
#ifndef SONDE_BPF_RING_BPF_H
#define SONDE_BPF_RING_BPF_H

#include "bpf/atomic.bpf.h"
#include "bpf/ring.h"
#include "bpf/slot.bpf.h"

/*
 * The words of all rings, in blocks: room for a state, words, RING_SLACK bytes for the rest of a record that begins in
 * the last word, and a table with a word for each page. Where an array's value may be that large (RING_DIRECT) all
 * blocks are one value, whose address is in the program, and a ring is one block with its state. Else blocks are
 * elements, of which a ring has one or more; the states are in ring_states. User space sets the sizes.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u64));
} ring_blocks SEC(".maps");

/* Wakes the reader. What is in it does not matter. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} ring_bell SEC(".maps");

/* User space sets the size. */
SEC(".data.ring")
struct ring_state ring_states[RING_LANES] = {};
const volatile struct ring_setup ring_setup SEC(".rodata.ring");

struct ring_place {
	__u64 *record;
	struct ring_state *state;
	__u64 head;
};

/* Calculates with a number that user space writes into the program. */
#define ring_patched(value, operator, patch) \
	asm volatile("%0 " operator" %1" \
		     : "+r"(value) \
		     : "i"(patch))

/* Moves code out of the way of most records: a jump costs, too. */
#define ring_unlikely(condition) __builtin_expect(!!(condition), 0)

/* An enum ring_how. The verifier removes the other branches. */
#define ring_how() patch_constant(PATCH_RING_HOW)

static __always_inline __u64 ring_cpu(void)
{
	return ((__u64(*)(void))(void *)bpf_get_smp_processor_id)();
}

static __always_inline struct ring_state *ring_state_of(__u64 ring)
{
	ring_patched(ring, "&=", PATCH_RING_LAST);
	return slot_begin(ring_states) + ring;
}

/*
 * Without BPF_FETCH a ring can have one writer. Programs interrupt each other like calls: who comes later ends first.
 * So a plain counter, which is back at its value when the interrupted program goes on, says which ring is free.
 */
static __always_inline __u64 ring_enter(struct ring_place *place, __u64 cpu, __u64 step)
{
	volatile struct ring_state *first = ring_state_of(cpu * RING_LANES), *state;
	__u64 depth = first->depth, block = cpu;

	place->state = NULL;
	if (depth >= RING_LANES) {
		atomic_add(&first->missed, 1);
		return 0;
	}
	first->depth = depth + 1;
	state = ring_state_of(cpu * RING_LANES + depth);
	place->state = (void *)state;
	place->head = state->head;
	state->head = place->head + step;
	ring_patched(block, "*=", PATCH_RING_BLOCKS);
	if (depth) {
		ring_patched(depth, "+=", PATCH_RING_BLOCK_LAST);
		return block + depth;
	}
	depth = place->head;
	ring_patched(depth, ">>=", PATCH_RING_BLOCK_BITS);
	ring_patched(depth, "&=", PATCH_RING_BLOCK_LAST);
	return block + depth;
}

/* Finds this processor's ring. */
static __always_inline struct ring_state *ring_direct(void)
{
	/* user space replaces the map by the address of its value */
	void *at = &ring_blocks;
	__u64 cpu = ring_cpu();

	ring_patched(cpu, "&=", PATCH_RING_LAST);
	ring_patched(cpu, "*=", PATCH_RING_BYTES);
	asm volatile(""
		     : "+r"(at));
	return at + cpu;
}

/* Reserves, and returns the number of the block. place->state is NULL if there was no free ring. */
static __always_inline __u32 ring_advance(struct ring_place *place, __u64 step, __u64 how)
{
	__u64 cpu = ring_cpu(), block;

	if (how == RING_PLAIN)
		return ring_enter(place, cpu, step);
	place->state = ring_state_of(cpu);
	place->head = __sync_fetch_and_add(&place->state->head, step);
	block = place->head;
	ring_patched(block, ">>=", PATCH_RING_BLOCK_BITS);
	ring_patched(block, "&=", PATCH_RING_BLOCK_LAST);
	ring_patched(cpu, "*=", PATCH_RING_BLOCKS);
	return block + cpu;
}

/* Wakes the reader once, if there is much that it has not read. */
static __always_inline void ring_wake(struct ring_state *state, __u64 next)
{
	volatile struct ring_state *shared = state;

	if (!ring_setup.wake_at || shared->rung || ((next - shared->tail) & RING_PLACE_MASK) < ring_setup.wake_at)
		return;
	shared->rung = 1;
	/* another processor may ring just now: then the next page does */
	if (bpf_ringbuf_output(&ring_bell, state, sizeof(__u64), BPF_RB_FORCE_WAKEUP))
		shared->rung = 0;
}

/* The record reaches or passes the end of its page: the next one begins at `next`. */
static __always_inline void ring_turn_page(const struct ring_place *place, void *block, __u64 next)
{
	volatile struct ring_state *state = place->state;
	__u64 page = place->head >> RING_PAGE_SHIFT, number = state->number;

	ring_patched(page, "&=", PATCH_RING_PAGES);
	ring_patched(block, "+=", PATCH_RING_TABLE);
	((volatile __u64 *)block)[page] = next;
	/* a carry out of the place counts as a record, which is complete */
	if (next << (64 - RING_PLACE_BITS) < place->head << (64 - RING_PLACE_BITS))
		atomic_add(&place->state->complete, 1);
	/*
	 * Who interrupts here stores a higher number, which is then replaced: one page is no matter. Who has interrupted
	 * before has stored one that is higher than this one.
	 */
	state->number = number + ((__s64)((next & ~RING_PLACE_MASK) - (number << RING_PLACE_BITS)) >> RING_PLACE_BITS);
	ring_wake(place->state, next);
}

/* Reserves; *block is where the record is. False: there is no ring. */
static __always_inline bool ring_block(struct ring_place *place, __u64 step, void **block)
{
	__u64 how = ring_how();
	__u32 number;

	if (how == RING_DIRECT) {
		place->state = ring_direct();
		place->head = __sync_fetch_and_add(&place->state->head, step);
		*block = place->state;
		return true;
	}
	number = ring_advance(place, step, how);
	if (!place->state)
		return false;
	*block = bpf_map_lookup_elem(&ring_blocks, &number);
	return *block;
}

/* ring_reserve() for programs that know the time already, and fill it in. */
static __always_inline __u64 *ring_reserve_untimed(struct ring_place *place, __u64 words)
{
	__u64 step = RING_ONE + words, offset;
	void *block;

	if (!ring_block(place, step, &block))
		return NULL;
	if (ring_unlikely((place->head & (RING_PAGE - 1)) >= RING_PAGE - words))
		ring_turn_page(place, block, place->head + step);
	offset = place->head;
	ring_patched(offset, "&=", PATCH_RING_OFFSET);
	place->record = (__u64 *)block + offset + sizeof(struct ring_state) / sizeof(__u64);
	return place->record;
}

/* Returns a record of that many words, 2 to RING_WORDS, with its time. NULL: there is no ring, which is counted. */
static __always_inline __u64 *ring_reserve(struct ring_place *place, __u64 words)
{
	__u64 *record = ring_reserve_untimed(place, words);

	if (record)
		record[RING_TIME] = bpf_ktime_get_ns();
	return record;
}

/* Stores behind everything that was stored before. */
#if defined(__TARGET_ARCH_x86)
#define ring_store(to, value) (*(volatile __u64 *)(to) = (value))
#else
#define ring_store(to, value) ((void)__sync_lock_test_and_set(to, value))
#endif

/*
 * Completes the record. A program can be interrupted or, on newer kernels, preempted for so long that others fill the
 * whole ring meanwhile: then it has damaged newer records, and says so before it counts itself as complete.
 */
static __always_inline void ring_commit(const struct ring_place *place, __u64 kind, __u64 words)
{
	volatile struct ring_state *state = place->state;
	__u64 head = place->head, header, since;

	/* a copy of its own, which the compiler makes as late as here: registers are few */
	asm volatile(""
		     : "+r"(head)
		     :
		     : "memory");
	header = RING_HEADER(head, kind, words);
	if (ring_unlikely(ring_how() == RING_PLAIN)) {
		*(volatile __u64 *)place->record = header;
		state->complete = state->complete + 1;
		((volatile struct ring_state *)ring_state_of(ring_cpu() * RING_LANES))->depth--;
		return;
	}
	ring_store(place->record, header);
	since = (__u32)(state->head - place->head);
	ring_patched(since, ">>=", PATCH_RING_LAP);
	if (ring_unlikely(since))
		ring_store(&place->state->late, state->head);
	atomic_add(&place->state->complete, 1);
}

#endif
