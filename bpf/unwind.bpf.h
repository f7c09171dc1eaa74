/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unwinds the user stack of the current task by the tables of bpf/unwind.h, which user space fills.
 *
 * The verifier allows a program a million instructions on all its paths together. So a step of a few frames is a global
 * function, which the verifier checks once and not for each call; 5.10 passes only numbers to such a function, so the
 * state of the walk is in a slot, a map value. And the searches have no branch that depends on what they compare, or each
 * step of a search would double the number of paths: the comparison is in assembler, as the compiler would make one.
 */
#ifndef SONDE_UNWIND_BPF_H
#define SONDE_UNWIND_BPF_H

#include "bpf/stack.h"
#include "bpf/unwind.h"
#include "bpf/unwind_regs.bpf.h"

/* Frames of a record: the two parts. A power of two bounds an index by a mask. */
#define UNWIND_FRAMES 256

struct unwind_slot {
	__u64 busy; /* how many programs want it: stack_take() */
	struct unwind_regs regs;
	bool exact;  /* the frame was interrupted at regs.pc; else that is the last byte of a call */
	bool has_lr; /* regs.lr is valid */
	bool narrow; /* a 32-bit program */
	bool known;  /* `space` is valid */
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
	__u64 words[UNWIND_WORDS];
	__u64 hash; /* of the frames */
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

/* Searches the mappings of the process for an address, and makes the one found the slot's. */
static __noinline bool unwind_search_mapping(struct unwind_slot *slot, __u64 pc)
{
	struct unwind_block *block = unwind_block(slot, &slot->space.block);
	__u64 at = slot->space.first * UNWIND_MAPPING_SIZE, n = slot->space.n;
	const struct unwind_mapping *mapping;

	if (!block || !slot->known)
		return false;
	for (int i = 0; i < UNWIND_MAPPING_STEPS; i++) {
		__u64 half = n >> 1, middle = at + half * UNWIND_MAPPING_SIZE;

		if (!half)
			break;
		n -= half;
		barrier_var(middle);
		if (middle > UNWIND_MAPPING_LAST)
			return false;
		middle = unwind_below(*(__u64 *)(block->bytes + middle), pc + 1);
		at += half * UNWIND_MAPPING_SIZE & middle;
	}
	at = unwind_found(slot, at);
	if (at > UNWIND_MAPPING_LAST)
		return false;
	mapping = (void *)(block->bytes + at);
	if (pc < mapping->start || pc >= mapping->end)
		return false;
	unwind_use_mapping(slot, mapping);
	return true;
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

/* --- to the caller --- */

/* Ends the walk. */
static __always_inline int unwind_end(struct unwind_slot *slot, enum stack_end why)
{
	slot->record.end = why;
	return 1;
}

/* The frame to which a call returns. An address of 0 has none: threads begin so. */
static __always_inline int unwind_return(struct unwind_slot *slot, __u64 ip, __u64 sp, __u64 fp)
{
	ip = unwind_address(ip, slot->address_mask);
	if (!ip)
		return unwind_end(slot, STACK_END_ROOT);
	slot->regs.pc = ip - 1;
	slot->regs.sp = sp;
	slot->regs.fp = fp;
	slot->exact = false;
	slot->has_lr = false;
	return 0;
}

/*
 * The frame that a signal interrupted, if this is code that returns from a handler. Some files have no rule for it: the
 * vDSO of arm64, musl's libc, Go's programs.
 */
static __noinline bool unwind_by_signal(struct unwind_slot *slot)
{
	if (slot->exact || slot->narrow || !slot->base)
		return false;
	if (bpf_probe_read_user(slot->words, 8, (void *)slot->regs.pc + 1) || slot->words[0] != UNWIND_SIGRETURN ||
	    bpf_probe_read_user(slot->words, UNWIND_SIGNAL_WORDS * 8, (void *)slot->regs.sp + UNWIND_SIGNAL_REGS))
		return false;
	slot->regs.pc = slot->words[UNWIND_SIGNAL_IP];
	slot->regs.sp = slot->words[UNWIND_SIGNAL_SP];
	slot->regs.fp = slot->words[UNWIND_SIGNAL_FP];
	slot->regs.lr = slot->words[UNWIND_SIGNAL_LR];
	slot->exact = true;
	slot->has_lr = true;
	return true;
}

/* Reads the caller's frame pointer and the return address that a frame pointer points to. */
static __always_inline bool unwind_read_pair(struct unwind_slot *slot, __u64 *fp, __u64 *ip)
{
	__u64 words[2];
	__u32 *narrow = (__u32 *)words;

	if (!slot->narrow) {
		if (bpf_probe_read_user(words, 16, (void *)slot->regs.fp))
			return false;
		*fp = words[0];
		*ip = words[1];
		return true;
	}
#if defined(__TARGET_ARCH_x86)
	if (bpf_probe_read_user(narrow, 8, (void *)slot->regs.fp))
		return false;
	*ip = narrow[1];
#else
	/* as the kernel does it: the frame pointer is behind { fp, sp, lr } */
	if (bpf_probe_read_user(narrow, 12, (void *)slot->regs.fp - 12))
		return false;
	*ip = narrow[2];
#endif
	*fp = narrow[0];
	return true;
}

/* No code is in the first page, or in the upper half of the address space. */
static __always_inline bool unwind_is_address(__u64 address)
{
	return address >> 12 && !(address >> 52);
}

/* Follows the frame pointer, for want of a rule. why: how the stack ends if that does not lead on. */
static __noinline int unwind_by_fp(struct unwind_slot *slot, enum stack_end why, __u8 flags)
{
	__u64 fp, ip, sp = slot->regs.fp;
	__u64 word = slot->narrow ? 4 : 8;

	/* a chain of frame pointers ends with 0 */
	if (!sp && slot->record.flags & STACK_FRAME_POINTER)
		return unwind_end(slot, STACK_END_ROOT);
	if (sp < slot->regs.sp || sp & (word - 1) || !unwind_read_pair(slot, &fp, &ip))
		return unwind_end(slot, why);
	ip = unwind_address(ip, slot->address_mask);
	if (ip && !unwind_is_address(ip))
		return unwind_end(slot, why);
	slot->record.flags |= flags;
	return unwind_return(slot, ip, sp + 2 * word, fp);
}

/* Reads a register that is not followed from frame to frame: the topmost frame has those that the kernel saved. */
static __always_inline bool unwind_register(struct unwind_slot *slot, __u8 number, __u64 *value)
{
	__u64 *regs = unwind_task_regs((void *)bpf_get_current_task());

	if (slot->record.n_user != 1 || bpf_probe_read_kernel(slot->words, 8, regs + number))
		return false;
	*value = slot->words[0];
	return true;
}

/* Computes the CFA. False: the walk ends; `end` says why. */
static __always_inline bool unwind_cfa(struct unwind_slot *slot, const struct unwind_rule *rule, __u64 *cfa,
				       enum stack_end *end)
{
	__s64 offset = rule->offset;

	if (rule->cfa == UNWIND_CFA_SP) {
		*cfa = slot->regs.sp + offset;
		return true;
	}
	*end = rule->cfa == UNWIND_CFA_ROOT ? STACK_END_ROOT : STACK_END_EXPRESSION;
	if (rule->cfa < UNWIND_CFA_SP)
		return false;
	if (rule->cfa == UNWIND_CFA_REGISTER) {
		if (!unwind_register(slot, rule->add, cfa))
			return false;
		*cfa += offset;
		return true;
	}
	if (rule->cfa == UNWIND_CFA_FP || rule->cfa == UNWIND_CFA_FP_DEREF) {
		/* 0: it was lost */
		if (!slot->regs.fp)
			return false;
		*cfa = slot->regs.fp + offset;
	} else {
		*cfa = slot->regs.sp + offset;
	}
	if (rule->cfa == UNWIND_CFA_PLT)
		*cfa += ((slot->regs.pc + !slot->exact) & 15) >= rule->add ? 8 : 0;
	if (rule->cfa < UNWIND_CFA_SP_DEREF)
		return true;
	*end = STACK_END_MEMORY;
	if (bpf_probe_read_user(cfa, 8, (void *)*cfa))
		return false;
	*cfa += rule->add;
	return true;
}

/* Reads a saved register. False: its page is not in memory. */
static __always_inline bool unwind_saved(struct unwind_slot *slot, __u8 where, __s64 offset, __u64 cfa, __u64 *value)
{
	__u64 base = where == UNWIND_AT_CFA ? cfa : where == UNWIND_AT_SP ? slot->regs.sp
									  : slot->regs.fp;

	if (where == UNWIND_SAME)
		return true;
	if (where == UNWIND_LOST) {
		*value = 0;
		return true;
	}
	return !bpf_probe_read_user(value, 8, (void *)base + offset * 8);
}

/* Applies any rule. */
static __noinline int unwind_by_rare_rule(struct unwind_slot *slot, const struct unwind_rule *rule)
{
	__u64 cfa, ip = slot->regs.lr, fp = slot->regs.fp, sp = slot->regs.sp;
	bool exact = slot->exact;
	enum stack_end end;

	if (!unwind_cfa(slot, rule, &cfa, &end))
		return unwind_end(slot, end);
	/* a handler may have a stack of its own, below or above that of what it interrupted */
	if (rule->ra != UNWIND_AT_SP && cfa < sp + !exact)
		return unwind_end(slot, STACK_END_DAMAGED);
	if (rule->ra == UNWIND_SAME && !slot->has_lr)
		return unwind_end(slot, STACK_END_DAMAGED);
	if (!unwind_saved(slot, rule->ra, rule->ra_offset, cfa, &ip) ||
	    !unwind_saved(slot, rule->fp, rule->fp_offset, cfa, &fp))
		return unwind_end(slot, STACK_END_MEMORY);
	if (unwind_return(slot, ip, cfa, fp))
		return 1;
	if (rule->ra != UNWIND_AT_SP || rule->cfa != UNWIND_CFA_SP_DEREF)
		return 0;
	slot->regs.pc++;
	slot->exact = true;
	return 0;
}

/* How far apart two saved registers are at most, in words, to be read at once. */
#define UNWIND_APART 5

/* The members cfa, fp, ra and add of a rule as one number. */
#define UNWIND_KINDS(cfa, fp, ra) ((cfa) | (fp) << 8 | (ra) << 16)

/*
 * Applies a rule. The usual ones are dealt with here: the CFA is SP or FP + offset, the return address is saved, and
 * the frame pointer is saved or the same. Reads go to the program's own stack: the kernel takes twice as long to check
 * memory of another kind (CONFIG_HARDENED_USERCOPY).
 */
static __always_inline int unwind_by_rule(struct unwind_slot *slot, __u32 number)
{
	struct unwind_rule *rule = bpf_map_lookup_elem(&unwind_rules, &number);
	__u64 cfa, fp, words[UNWIND_APART + 1], apart;
	__s64 ra_offset;
	__u32 kinds;

	if (!rule)
		return unwind_end(slot, STACK_END_EXPRESSION);
	kinds = *(__u32 *)&rule->cfa;
	fp = slot->regs.fp;
	if ((kinds & 0xff) == UNWIND_CFA_SP)
		cfa = slot->regs.sp;
	else if ((kinds & 0xff) == UNWIND_CFA_FP)
		cfa = fp;
	else
		return unwind_by_rare_rule(slot, rule);
	cfa += rule->offset;
	if (cfa < slot->regs.sp + !slot->exact)
		return unwind_by_rare_rule(slot, rule);
	ra_offset = rule->ra_offset;
	kinds >>= 8;
	if (kinds == UNWIND_KINDS(UNWIND_SAME, UNWIND_AT_CFA, 0)) {
		if (bpf_probe_read_user(words, 8, (void *)cfa + ra_offset * 8))
			return unwind_end(slot, STACK_END_MEMORY);
		return unwind_return(slot, words[0], cfa, fp);
	}
	apart = ra_offset - rule->fp_offset;
	if (kinds != UNWIND_KINDS(UNWIND_AT_CFA, UNWIND_AT_CFA, 0) || apart - 1 >= UNWIND_APART)
		return unwind_by_rare_rule(slot, rule);
	if (apart == 1) {
		if (bpf_probe_read_user(words, 16, (void *)cfa + ra_offset * 8 - 8))
			return unwind_end(slot, STACK_END_MEMORY);
		return unwind_return(slot, words[1], cfa, words[0]);
	}
	if (bpf_probe_read_user(words, sizeof(words), (void *)cfa + (ra_offset - UNWIND_APART) * 8))
		return unwind_by_rare_rule(slot, rule);
	fp = apart == 2 ? words[3] : apart == 3 ? words[2]
			     : apart == 4	? words[1]
						: words[0];
	return unwind_return(slot, words[UNWIND_APART], cfa, fp);
}
_Static_assert(__builtin_offsetof(struct unwind_rule, add) == __builtin_offsetof(struct unwind_rule, cfa) + 3,
	       "one number");

/* Adds a frame to the record, which has n. */
static __always_inline void unwind_add_frame(struct unwind_slot *slot, __u64 n, __u64 frame)
{
	slot->record.frames[n & STACK_DEPTH] = frame;
	slot->record.n_user = n + 1;
	slot->hash = unwind_fold(slot->hash, frame);
}
_Static_assert((STACK_DEPTH & (STACK_DEPTH + 1)) == 0, "a mask");

/* Goes to the caller of a frame for which there is no rule. */
static __noinline int unwind_without_rule(struct unwind_slot *slot)
{
	enum stack_end end = slot->size ? STACK_END_NO_FDE : slot->known ? STACK_END_MAPPING
									 : STACK_END_PROCESS;

	if (unwind_by_signal(slot))
		return 0;
	if (!stack_setup.pointers)
		return unwind_end(slot, end);
	return unwind_by_fp(slot, end, slot->size ? STACK_FRAME_POINTER : STACK_FRAME_POINTER | STACK_PARTIAL);
}

/* Adds the frame of slot->regs to the record and goes to its caller. Returns 1 if there is none. */
static __always_inline int unwind_one(struct unwind_slot *slot)
{
	const struct unwind_mapping none = {};
	__u64 n = slot->record.n_user, pc = slot->regs.pc;
	__u32 rule;

	if (n >= slot->depth)
		return unwind_end(slot, STACK_END_DEPTH);
	if (pc - slot->start >= slot->size && !unwind_search_mapping(slot, pc))
		unwind_use_mapping(slot, &none);
	unwind_add_frame(slot, n, pc + slot->base);
	rule = unwind_rule_number(slot, pc);
	return rule == UNWIND_RULE_NONE ? unwind_without_rule(slot) : unwind_by_rule(slot, rule);
}

/* How many frames one call of unwind_step() adds. */
#define UNWIND_STEPS 4

/* Returns 1 if the walk has ended. */
__noinline int unwind_step(__u32 number)
{
	struct unwind_slot *slot = bpf_map_lookup_elem(&stack_slots, &number);

	if (!slot)
		return 1;
#pragma nounroll
	for (int i = 0; i < UNWIND_STEPS; i++) {
		barrier_var(i);
		if (unwind_one(slot))
			return 1;
	}
	return 0;
}

/* Adds the frames of the slot's registers and of all callers to the record. */
__noinline int unwind_walk(__u32 number)
{
	for (int i = 0; i <= STACK_DEPTH / UNWIND_STEPS; i++) {
		barrier_var(i);
		if (unwind_step(number))
			break;
	}
	return 0;
}

/* Whether a process has not executed a program yet. Its threads do not say. */
static __always_inline bool unwind_is_forked(struct task_struct *task)
{
	return BPF_CORE_READ(task, group_leader, flags) & UNWIND_PF_FORKNOEXEC;
}

/*
 * The mappings of the parent, which a new process shares until it executes something: it has run before user space has
 * read of it. NULL: it is not such a process, or the parent is not known either.
 */
static __always_inline struct unwind_space *unwind_parent_space(void)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	__u32 parent;

	if (stack_setup.pidns_ino || !unwind_is_forked(task))
		return NULL;
	parent = BPF_CORE_READ(task, real_parent, tgid);
	return bpf_map_lookup_elem(&unwind_spaces, &parent);
}

/* The current process, by the number that user space knows; 0: user space does not see it. */
static __always_inline __u32 unwind_process(void)
{
	struct bpf_pidns_info ids = {};

	if (!stack_setup.pidns_ino)
		return bpf_get_current_pid_tgid() >> 32;
	if (bpf_get_ns_current_pid_tgid(stack_setup.pidns_dev, stack_setup.pidns_ino, &ids, sizeof(ids)))
		return 0;
	return ids.tgid;
}

/* Whether a process has mappings of the program that the current task executes. */
static __always_inline bool unwind_is_current(const struct unwind_space *space)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct mm_struct___unwind *mm = (void *)BPF_CORE_READ(task, mm);

	return space->n && space->vdso == (__u64)BPF_CORE_READ(mm, context.vdso);
}

/* Fills in the slot for a walk. False: the current task has no user stack. */
static __always_inline bool unwind_begin(struct unwind_slot *slot, void *ctx)
{
	__u32 tgid = unwind_process();
	struct unwind_space *space;

	slot->narrow = false;
	slot->exact = true;
	if (!unwind_user_regs(ctx, slot->words, &slot->regs, &slot->narrow, &slot->exact))
		return false;
	space = bpf_map_lookup_elem(&unwind_spaces, &tgid);
	if (!space)
		space = unwind_parent_space();
	slot->known = space && unwind_is_current(space);
	if (slot->known)
		slot->space = *space;
	slot->tgid = tgid;
	slot->depth = stack_setup.user;
	slot->regs.pc -= !slot->exact;
	slot->has_lr = true;
	slot->size = 0;
	slot->address_mask = unwind_address_mask();
	slot->record.flags = slot->narrow ? STACK_32BIT : 0;
	return true;
}

#endif
