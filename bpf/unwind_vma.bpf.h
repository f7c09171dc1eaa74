/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the mapping of an address as the kernel has it, for processes and files that user space has not read of yet. The
 * kernel's own tree of mappings is followed without its lock, by reads that cannot fault: bpf_find_vma() finds one mapping
 * in an interrupt, and none in a process that is mapping something. What a read finds counts only if it is a mapping of
 * this memory that has the address; so a tree that changes meanwhile leads to nothing, at worst.
 *
 * Its file is found in the hash "unwind_files" (bpf/unwind.h), which has the tables of all files that any process has
 * mapped.
 */
#ifndef SONDE_BPF_UNWIND_VMA_BPF_H
#define SONDE_BPF_UNWIND_VMA_BPF_H

#include "bpf/unwind_table.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct unwind_file_key);
	__type(value, struct unwind_file);
} unwind_files SEC(".maps");

/* Since 6.1 a maple tree, before that a red-black one. */
struct mm_struct___maple {
	struct maple_tree {
		void *ma_root;
	} mm_mt;
} CORE;

struct mm_struct___rb {
	struct rb_root {
		struct rb_node *rb_node;
	} mm_rb;
} CORE;

struct rb_node {
	struct rb_node *rb_right, *rb_left;
} CORE;

/* Pivots are the last indices of slots. Behind the last one in use is a 0, or a pointer, which is negative. */
#define MAPLE_PIVOTS 15
struct maple_range_64 {
	unsigned long pivot[MAPLE_PIVOTS];
	void *slot[MAPLE_PIVOTS + 1];
} CORE;

struct maple_arange_64 {
	unsigned long pivot[9];
	void *slot[10];
} CORE;

/* Nodes are aligned to 256 bytes. Below the address is the type. The root is marked as one, if it is a node. */
#define MAPLE_RANGE_64	 2 /* types below are leaves */
#define MAPLE_ARANGE_64	 3
#define MAPLE_TYPE_SHIFT 3
#define MAPLE_TYPE_MASK	 15
#define MAPLE_NODE_MASK	 255ULL
#define MAPLE_ROOT_MASK	 3
#define MAPLE_ROOT	 2

struct vm_area_struct {
	unsigned long vm_start, vm_end, vm_flags, vm_pgoff;
	struct mm_struct *vm_mm;
	struct file *vm_file;
} CORE;

struct vm_area_struct___rb {
	struct rb_node vm_rb;
} CORE;

#define UNWIND_VM_EXEC 4

/* From 6.11 on, and from 6.7 on, and before. */
struct inode___seconds {
	long long i_mtime_sec;
	unsigned int i_mtime_nsec;
} CORE;

struct timespec64 {
	long long tv_sec;
	long tv_nsec;
} CORE;

struct inode___hidden {
	struct timespec64 __i_mtime;
} CORE;

struct inode___plain {
	struct timespec64 i_mtime;
} CORE;

struct inode___size {
	long long i_size;
} CORE;

/* Levels of a tree: 8 mappings in a leaf and 5 parts of each node are the least. And of a red-black one. */
#define UNWIND_MAPLE_LEVELS 8
#define UNWIND_RB_LEVELS    8
#define UNWIND_RB_STEPS	    4

/* Global functions ask, too: the verifier looks at each by itself. */
#define unwind_has_maple() bpf_core_field_exists(((struct mm_struct___maple *)0)->mm_mt)

/*
 * Goes from slot->node, a node of the maple tree, to its part that has the address: a node, or a mapping, or 0. Global as
 * unwind_step() is. Returns 1 if it is no node.
 */
__noinline int unwind_maple_step(__u32 number)
{
	struct unwind_slot *slot = bpf_map_lookup_elem(&stack_slots, &number);
	__u64 pivots, slots, node, type, n = 0, go = ~0ULL;

	if (!slot || !unwind_has_maple())
		return 1;
	type = slot->node >> MAPLE_TYPE_SHIFT & MAPLE_TYPE_MASK;
	node = slot->node & ~MAPLE_NODE_MASK;
	pivots = node + bpf_core_field_offset(struct maple_range_64, pivot);
	slots = node + bpf_core_field_offset(struct maple_range_64, slot);
	if (type == MAPLE_ARANGE_64) {
		pivots = node + bpf_core_field_offset(struct maple_arange_64, pivot);
		slots = node + bpf_core_field_offset(struct maple_arange_64, slot);
	}
	slot->node = 0;
	if (bpf_probe_read_kernel(slot->words, MAPLE_PIVOTS * 8, (void *)pivots))
		return 1;
#pragma nounroll
	for (int i = 0; i < MAPLE_PIVOTS; i++) {
		__u64 pivot = i;

		barrier_var(i);
		barrier_var(pivot);
		pivot = slot->words[pivot & (UNWIND_WORDS - 1)];
		go &= unwind_below(0, pivot) & unwind_below(pivot, slot->regs.pc);
		n -= go;
		barrier_var(n);
	}
	return bpf_probe_read_kernel(&slot->node, 8, (void *)slots + n * 8) || type < MAPLE_RANGE_64;
}
_Static_assert(MAPLE_PIVOTS <= UNWIND_WORDS && !(UNWIND_WORDS & (UNWIND_WORDS - 1)), "the words of a slot");

/* Some steps in the red-black tree from slot->node, a node of it, to a mapping. Returns 1 at the end. */
__noinline int unwind_rb_step(__u32 number)
{
	struct unwind_slot *slot = bpf_map_lookup_elem(&stack_slots, &number);

	if (!slot || unwind_has_maple())
		return 1;
#pragma nounroll
	for (int i = 0; i < UNWIND_RB_STEPS; i++) {
		struct rb_node *node = (void *)slot->node;
		struct vm_area_struct *vma = (void *)node - bpf_core_field_offset(struct vm_area_struct___rb, vm_rb);
		__u64 pc = slot->regs.pc;

		barrier_var(i);
		if (!node)
			return 1;
		if (pc < BPF_CORE_READ(vma, vm_start)) {
			slot->node = (__u64)BPF_CORE_READ(node, rb_left);
		} else if (pc >= BPF_CORE_READ(vma, vm_end)) {
			slot->node = (__u64)BPF_CORE_READ(node, rb_right);
		} else {
			slot->node = (__u64)vma;
			return 1;
		}
	}
	return 0;
}

/* Finds the mapping that has the slot's address, in slot->node. 0: there is none. */
static __always_inline void unwind_find_vma(struct unwind_slot *slot, __u32 number, void *mm)
{
	struct mm_struct___maple *maple = mm;
	struct mm_struct___rb *rb = mm;

	if (unwind_has_maple()) {
		slot->node = (__u64)BPF_CORE_READ(maple, mm_mt.ma_root);
		if ((slot->node & MAPLE_ROOT_MASK) != MAPLE_ROOT)
			slot->node = 0;
		for (int i = 0; slot->node && i < UNWIND_MAPLE_LEVELS; i++) {
			barrier_var(i);
			if (unwind_maple_step(number))
				break;
		}
		return;
	}
	slot->node = (__u64)BPF_CORE_READ(rb, mm_rb.rb_node);
	for (int i = 0; i < UNWIND_RB_LEVELS; i++) {
		barrier_var(i);
		if (unwind_rb_step(number))
			break;
	}
}

static __always_inline __u64 unwind_mtime(struct inode *inode)
{
	struct inode___seconds *seconds = (void *)inode;
	struct inode___hidden *hidden = (void *)inode;
	struct inode___plain *plain = (void *)inode;

	if (bpf_core_field_exists(seconds->i_mtime_sec))
		return BPF_CORE_READ(seconds, i_mtime_sec) * 1000000000ULL + BPF_CORE_READ(seconds, i_mtime_nsec);
	if (bpf_core_field_exists(hidden->__i_mtime))
		return BPF_CORE_READ(hidden, __i_mtime.tv_sec) * 1000000000ULL + BPF_CORE_READ(hidden, __i_mtime.tv_nsec);
	return BPF_CORE_READ(plain, i_mtime.tv_sec) * 1000000000ULL + BPF_CORE_READ(plain, i_mtime.tv_nsec);
}

/* What is known of the file of a mapping. NULL: it is not. file NULL: the vDSO. */
static __always_inline struct unwind_file *unwind_find_file(struct file *file)
{
	struct unwind_file_key key = {};
	struct inode *inode;

	if (file) {
		inode = BPF_CORE_READ(file, f_inode);
		key.inode = BPF_CORE_READ(inode, i_ino);
		key.size = BPF_CORE_READ((struct inode___size *)inode, i_size);
		key.mtime = unwind_mtime(inode);
		key.dev = BPF_CORE_READ(inode, i_sb, s_dev);
	}
	return bpf_map_lookup_elem(&unwind_files, &key);
}

/* Makes the mapping of an address in a file the slot's: from start to end is mapped what is from an offset on. */
static __always_inline bool unwind_use_file(struct unwind_slot *slot, const struct unwind_file *file, __u64 start, __u64 end,
					    __u64 offset)
{
	const struct unwind_mapping *found;
	struct unwind_mapping mapping;

	if (!file)
		return false;
	found = unwind_search_run(slot, &file->block, file->first, file->n, slot->regs.pc - start + offset);
	if (!found)
		return false;
	mapping = *found;
	/* there, addresses are offsets in the file */
	end = end - start + offset;
	if (mapping.start < offset)
		mapping.start = offset;
	if (mapping.end > end)
		mapping.end = end;
	mapping.offset = mapping.start;
	mapping.start += start - offset;
	mapping.end += start - offset;
	unwind_use_mapping(slot, &mapping);
	return true;
}

/* Makes a mapping of the kernel the slot's, which has its address. False: the file is not known. */
static __always_inline bool unwind_use_vma(struct unwind_slot *slot, struct vm_area_struct *vma, __u64 start, __u64 end)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct mm_struct___unwind *mm = (void *)BPF_CORE_READ(task, mm);
	struct file *file = BPF_CORE_READ(vma, vm_file);
	struct unwind_mapping mapping = { .start = start, .end = end };
	__u64 offset = 0;

	slot->missing = STACK_END_PROCESS;
	if (file) {
		offset = BPF_CORE_READ(vma, vm_pgoff) << stack_setup.page_shift;
	} else if (start != (__u64)BPF_CORE_READ(mm, context.vdso) || !(start >> 32)) {
		unwind_use_mapping(slot, &mapping);
		return true;
	}
	return unwind_use_file(slot, unwind_find_file(file), start, end, offset);
}

/*
 * Asks the kernel for the mapping of the slot's address, which user space does not know, and makes it the slot's. Else
 * slot->missing says why there is none.
 */
static __always_inline bool unwind_ask_kernel(struct unwind_slot *slot, __u32 number)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	void *mm = BPF_CORE_READ(task, mm);
	struct vm_area_struct *vma;
	__u64 start, end;

	slot->missing = STACK_END_MAPPING;
	if (slot->regs.pc >> 63)
		return false;
	unwind_find_vma(slot, number, mm);
	vma = (void *)slot->node;
	if (!vma)
		return false;
	start = BPF_CORE_READ(vma, vm_start);
	end = BPF_CORE_READ(vma, vm_end);
	if (slot->regs.pc < start || slot->regs.pc >= end || (void *)BPF_CORE_READ(vma, vm_mm) != mm) {
		slot->missing = slot->known ? STACK_END_MAPPING : STACK_END_PROCESS;
		return false;
	}
	return BPF_CORE_READ(vma, vm_flags) & UNWIND_VM_EXEC && unwind_use_vma(slot, vma, start, end);
}

#endif
