/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The state of a walk, and the search for the rule of an address: the mapping of the process, the page of text, the
 * row. The maps are those of bpf/unwind.h.
 *
 * The searches have no branch that depends on what they compare: else each step of one would double the number of paths
 * that the verifier follows. The comparison is in assembler, as the compiler would make a branch.
 */
#ifndef SONDE_BPF_UNWIND_TABLE_BPF_H
#define SONDE_BPF_UNWIND_TABLE_BPF_H

#include "bpf/interp.h"
#include "bpf/stack.h"
#include "bpf/unwind.h"
#include "bpf/unwind_regs.bpf.h"

/* Frames of a record: the two parts. A power of two bounds an index by a mask. */
#define UNWIND_FRAMES 256

struct unwind_slot {
	__u64 busy; /* how many programs want it: stack_take() */
	struct unwind_regs regs;
	bool exact;   /* the frame was interrupted at regs.pc; else that is the last byte of a call */
	bool has_lr;  /* regs.lr is valid */
	bool narrow;  /* a 32-bit program */
	bool known;   /* `space` is valid */
	bool top;     /* the innermost frame */
	bool limited; /* `depth` frames are wanted, and not whether there are more */
	__u8 notes;   /* the boundary, if the process has an interpreter with INTERP_NOTES or INTERP_BLOBS; else 0 */
	bool noted;   /* the last frame was looked at for a note: go on to its caller */
	__u8 missing; /* enum stack_end: how a walk ends at `asked` */
#if defined(__TARGET_ARCH_arm64)
	bool unsure; /* regs.sp is only a lower bound, behind a frame pointer that was followed */
#endif
	__u32 tgid, depth;
	struct unwind_space space;
	/* The mapping of the last frame: that of the next is often the same. */
	__u64 start, size;
	__u64 base; /* pc + base: the frame, with its module */
	__u64 text; /* the address of the first byte for which there is a page entry */
	__u32 block, first, n_pages;
	__u32 only; /* 0: the key of the only element */
	__u64 address_mask;
	__u64 found; /* the result of a search */
	__u64 asked; /* an address for which the kernel has no mapping of a known file */
	__u64 node;  /* of the kernel's tree of mappings: unwind_vma.bpf.h */
	__u64 words[UNWIND_WORDS];
	/* Frames of an interpreter: interp.bpf.h. */
	__u32 plan, n_ahead;
	__u64 steps;
	__u64 place;			      /* the native frame that has this address on its part of the stack has executed the frames ahead */
	__u64 next;			      /* the interpreter's frame behind those ahead; 0: none */
	__u64 link;			      /* with INTERP_ENTRY: the object on the native stack that belongs to the frames ahead */
	__u64 loop;			      /* the base of the runtime's file, whose frames are left out; INTERP_NOWHERE: none is */
	__u64 code, code_size, gap, gap_size; /* with INTERP_LOOP: the loop's code, as struct interp_loop has it */
	__u64 ahead[STACK_DEPTH + 1];
	__u64 hash, before; /* of the frames; and without the last one */
	union {
		struct stack_record record; /* with its frames */
		__u64 room[sizeof(struct stack_record) / 8 + UNWIND_FRAMES];
	};
};

/* User space sets the size: STACK_SLOTS for each possible processor. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, STACK_SLOTS);
	__type(key, __u32);
	__type(value, struct unwind_slot);
} stack_slots SEC(".maps");

struct unwind_block {
	__u8 bytes[UNWIND_BLOCK_SIZE];
};

struct unwind_block_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct unwind_block));
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, UNWIND_BLOCKS_MAX);
	__type(key, __u32);
	__array(values, struct unwind_block_map);
} unwind_blocks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct unwind_space);
} unwind_spaces SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, UNWIND_RULES_MAX);
	__type(key, __u32);
	__type(value, struct unwind_rule);
} unwind_rules SEC(".maps");

const volatile struct stack_setup stack_setup SEC(".rodata.stack");

/* Folds a number into a hash of 64 bits: the shift brings the upper bits down, which a product leaves above. */
static __always_inline __u64 unwind_fold(__u64 hash, __u64 number)
{
	hash = (hash ^ number) * 0x9e3779b97f4a7c15ULL;
	return hash ^ hash >> 32;
}

/* Keys are read where they are: it saves a copy. */
static __always_inline struct unwind_block *unwind_block(struct unwind_slot *slot, const __u32 *number)
{
	void *map = bpf_map_lookup_elem(&unwind_blocks, number);

	return map ? bpf_map_lookup_elem(map, &slot->only) : NULL;
}

/*
 * The result of a search, which the verifier knows nothing about: so it follows the code behind a search once, not for
 * each number of steps that the search may take.
 */
static __always_inline __u64 unwind_found(struct unwind_slot *slot, __u64 at)
{
	*(volatile __u64 *)&slot->found = at;
	return *(volatile __u64 *)&slot->found;
}

/* All bits set if a number is below another one, else none; both are below 2^63. */
static __always_inline __u64 unwind_below(__u64 number, __u64 other)
{
	asm volatile("%0 -= %1; %0 s>>= 63"
		     : "+r"(number)
		     : "r"(other));
	return number;
}

/* --- the mapping of an address --- */

#define UNWIND_MAPPING_SIZE  sizeof(struct unwind_mapping)
#define UNWIND_MAPPING_LAST  ((UNWIND_BLOCK_MAPPINGS - 1) * UNWIND_MAPPING_SIZE)
#define UNWIND_MAPPING_STEPS 10

/* Makes a mapping the slot's. */
static __always_inline void unwind_use_mapping(struct unwind_slot *slot, const struct unwind_mapping *mapping)
{
	__u64 module = mapping->module;

	slot->start = mapping->start;
	slot->size = mapping->end - mapping->start;
	slot->base = module ? (module << STACK_MODULE_SHIFT) + mapping->offset - mapping->start : 0;
	slot->block = mapping->block;
	slot->first = mapping->first;
	slot->text = mapping->start - mapping->offset + ((__u64)mapping->page << UNWIND_PAGE_SHIFT);
	slot->n_pages = stack_setup.tables ? mapping->n_pages : 0;
	if (!module)
		slot->record.pid = slot->tgid;
}

/* Searches n mappings, from index `at` of a block on, for that of an address. NULL: there is none. */
static __always_inline const struct unwind_mapping *unwind_search_run(struct unwind_slot *slot, const __u32 *number, __u64 at,
								      __u64 n, __u64 pc)
{
	struct unwind_block *block = unwind_block(slot, number);
	const struct unwind_mapping *mapping;

	if (!block)
		return NULL;
	at *= UNWIND_MAPPING_SIZE;
	for (int i = 0; i < UNWIND_MAPPING_STEPS; i++) {
		__u64 half = n >> 1, middle = at + half * UNWIND_MAPPING_SIZE;

		if (!half)
			break;
		n -= half;
		barrier_var(middle);
		if (middle > UNWIND_MAPPING_LAST)
			return NULL;
		middle = unwind_below(*(__u64 *)(block->bytes + middle), pc + 1);
		at += half * UNWIND_MAPPING_SIZE & middle;
	}
	at = unwind_found(slot, at);
	if (at > UNWIND_MAPPING_LAST)
		return NULL;
	mapping = (void *)(block->bytes + at);
	return pc < mapping->start || pc >= mapping->end ? NULL : mapping;
}

/* Searches the mappings of the process for an address, and makes the one found the slot's. */
static __noinline bool unwind_search_mapping(struct unwind_slot *slot, __u64 pc)
{
	const struct unwind_mapping *mapping;

	if (!slot->known)
		return false;
	mapping = unwind_search_run(slot, &slot->space.block, slot->space.first, slot->space.n, pc);
	if (mapping)
		unwind_use_mapping(slot, mapping);
	return mapping;
}

/* --- the rule of a place in a file --- */

#define UNWIND_ROW_STEPS UNWIND_PAGE_SHIFT

/* Searches n rows from index first of a block for the last one at or before a place. Returns the number of its rule. */
static __always_inline __u32 unwind_search_rows(struct unwind_slot *slot, const struct unwind_page *page, __u64 place)
{
	struct unwind_block *block = unwind_block(slot, &page->block);
	/* in bytes */
	__u64 at = page->first * 4ULL, n = page->n;

	barrier_var(n);
	if (!block || !n)
		return UNWIND_RULE_NONE;
	n *= 4;
	place++;
#pragma unroll
	for (int i = 0; i < UNWIND_ROW_STEPS; i++) {
		__u64 half = n >> 1, middle;

		barrier_var(half);
		half &= ~3ULL;
		if (!half)
			break;
		middle = at + half;
		barrier_var(middle);
		middle &= UNWIND_BLOCK_SIZE - 4;
		n -= half;
		at += half & unwind_below(*(__u16 *)(block->bytes + middle), place);
	}
	at = unwind_found(slot, at) & UNWIND_BLOCK_SIZE - 4;
	return *(__u16 *)(block->bytes + at + __builtin_offsetof(struct unwind_row, rule));
}

/* Returns the number of the rule for an address in the slot's mapping. */
static __always_inline __u32 unwind_rule_number(struct unwind_slot *slot, __u64 pc)
{
	__u64 place = pc - slot->text, page = place >> UNWIND_PAGE_SHIFT;
	struct unwind_block *block;

	if (page >= slot->n_pages)
		return UNWIND_RULE_NONE;
	block = unwind_block(slot, &slot->block);
	if (!block)
		return UNWIND_RULE_NONE;
	page = (slot->first + page) * sizeof(struct unwind_page);
	barrier_var(page);
	page &= UNWIND_BLOCK_SIZE - sizeof(struct unwind_page);
	return unwind_search_rows(slot, (void *)(block->bytes + page), place & ((1 << UNWIND_PAGE_SHIFT) - 1));
}

#endif
