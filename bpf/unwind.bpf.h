/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unwinds the user stack of the current task by the tables of bpf/unwind.h, which user space fills.
 *
 * The verifier allows a program a million instructions on all its paths together. So a step of a few frames is a global
 * function, which the verifier checks once and not for each call; 5.10 passes only numbers to such a function, so the
 * state of the walk is in a slot, a map value.
 */
#ifndef SONDE_BPF_UNWIND_BPF_H
#define SONDE_BPF_UNWIND_BPF_H

#include "bpf/interp.bpf.h"
#include "bpf/interp_java.bpf.h"
#include "bpf/unwind_table.bpf.h"
#include "bpf/unwind_vma.bpf.h"
#include "bpf/uretprobe.bpf.h"

/* Ends the walk. */
static __always_inline int unwind_end(struct unwind_slot *slot, enum stack_end why)
{
	slot->record.end = why;
	return 1;
}

static __always_inline void unwind_set_unsure(struct unwind_slot *slot, bool unsure)
{
#if defined(__TARGET_ARCH_arm64)
	slot->unsure = unsure;
#endif
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
	slot->top = false;
	unwind_set_unsure(slot, false);
	return 0;
}

/*
 * The frame that a signal interrupted, if this is code that returns from a handler. Some files have no rule for it: the
 * vDSO of arm64, musl's libc, Go's programs.
 */
static __always_inline bool unwind_by_signal(struct unwind_slot *slot)
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
	slot->top = false;
	unwind_set_unsure(slot, false);
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
static __always_inline int unwind_by_fp(struct unwind_slot *slot, enum stack_end why, __u8 flags)
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
	if (unwind_return(slot, ip, sp + 2 * word, fp))
		return 1;
	unwind_set_unsure(slot, true);
	return 0;
}

/* Reads a register that is not followed from frame to frame: the topmost frame has those that the kernel saved. */
static __always_inline bool unwind_register(struct unwind_slot *slot, __u8 number, __u64 *value)
{
	__u64 *regs = unwind_task_regs((void *)bpf_get_current_task());

	if (!slot->top || bpf_probe_read_kernel(slot->words, 8, regs + number))
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

static __always_inline int unwind_apply(struct unwind_slot *slot, const struct unwind_rule *rule)
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

/* Applies any rule. Global as unwind_step() is, for there are several ways here. */
__noinline int unwind_by_rare_rule(__u32 number, __u32 rule_number)
{
	struct unwind_slot *slot = bpf_map_lookup_elem(&stack_slots, &number);
	struct unwind_rule *rule = bpf_map_lookup_elem(&unwind_rules, &rule_number);

	return slot && rule ? unwind_apply(slot, rule) : 1;
}

/*
 * The CFA of a frame whose frame pointer points to the two registers that it has saved, one behind the other. On arm64 code
 * without a rule may have saved others before it made its frame: then its caller's stack pointer is not known, but the
 * frame pointer is.
 */
static __always_inline __u64 unwind_cfa_by_pair(struct unwind_slot *slot, __u64 cfa, __u64 by_fp)
{
#if defined(__TARGET_ARCH_arm64)
	if (slot->unsure && by_fp > cfa)
		return by_fp;
#endif
	return cfa;
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
static __always_inline int unwind_by_rule(struct unwind_slot *slot, __u32 number, __u32 rule_number)
{
	struct unwind_rule *rule = bpf_map_lookup_elem(&unwind_rules, &rule_number);
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
		return unwind_by_rare_rule(number, rule_number);
	cfa += rule->offset;
	if (cfa < slot->regs.sp + !slot->exact)
		return unwind_by_rare_rule(number, rule_number);
	ra_offset = rule->ra_offset;
	kinds >>= 8;
	if (kinds == UNWIND_KINDS(UNWIND_SAME, UNWIND_AT_CFA, 0)) {
		if (bpf_probe_read_user(words, 8, (void *)cfa + ra_offset * 8))
			return unwind_end(slot, STACK_END_MEMORY);
		return unwind_return(slot, words[0], cfa, fp);
	}
	apart = ra_offset - rule->fp_offset;
	if (kinds != UNWIND_KINDS(UNWIND_AT_CFA, UNWIND_AT_CFA, 0) || apart - 1 >= UNWIND_APART)
		return unwind_by_rare_rule(number, rule_number);
	if (apart == 1) {
		cfa = unwind_cfa_by_pair(slot, cfa, fp - rule->fp_offset * 8);
		if (bpf_probe_read_user(words, 16, (void *)cfa + ra_offset * 8 - 8))
			return unwind_end(slot, STACK_END_MEMORY);
		return unwind_return(slot, words[1], cfa, words[0]);
	}
	if (bpf_probe_read_user(words, sizeof(words), (void *)cfa + (ra_offset - UNWIND_APART) * 8))
		return unwind_by_rare_rule(number, rule_number);
	fp = apart == 2 ? words[3] : apart == 3 ? words[2]
			     : apart == 4	? words[1]
						: words[0];
	return unwind_return(slot, words[UNWIND_APART], cfa, fp);
}
_Static_assert(__builtin_offsetof(struct unwind_rule, add) == __builtin_offsetof(struct unwind_rule, cfa) + 3,
	       "one number");

/* Goes to the caller of a frame for which there is no rule. Global as above. */
__noinline int unwind_without_rule(__u32 number)
{
	struct unwind_slot *slot = bpf_map_lookup_elem(&stack_slots, &number);
	enum stack_end end;
	__u8 flags = 0;

	if (!slot)
		return 1;
	end = slot->size ? STACK_END_NO_FDE : slot->missing;
	if (unwind_by_signal(slot))
		return 0;
	if (!stack_setup.pointers)
		return unwind_end(slot, end);
	/* the frame behind the last one that is wanted does not matter */
	if (!slot->limited || slot->record.n_user < slot->depth)
		flags = slot->size ? STACK_FRAME_POINTER : STACK_FRAME_POINTER | STACK_PARTIAL;
	return unwind_by_fp(slot, end, flags);
}

/* Puts the true address in place of that of the kernel's trampoline, if the slot's registers have that. */
__noinline int unwind_by_uretprobe(__u32 number)
{
	struct unwind_slot *slot = bpf_map_lookup_elem(&stack_slots, &number);
	__u64 ip = slot && !slot->exact ? uretprobe_true_address(slot->regs.pc + 1, slot->regs.sp) : 0;

	if (!ip)
		return false;
	slot->regs.pc = ip - 1;
	return true;
}

/*
 * Finds the mapping of the slot's address, of which user space knows nothing; or corrects the address. Returns 1 if the
 * task has no user stack now: it executes a program, the memory of the old one is gone, and its registers are still there.
 */
__noinline int unwind_ask(__u32 number)
{
	struct unwind_slot *slot = bpf_map_lookup_elem(&stack_slots, &number);
	const struct unwind_mapping none = {};

	if (!slot || unwind_by_uretprobe(number) || unwind_ask_kernel(slot, number))
		return 0;
	if (slot->top && slot->missing == STACK_END_MAPPING && unwind_is_in_exec())
		return unwind_end(slot, STACK_END_NO_USER);
	slot->asked = slot->regs.pc;
	unwind_use_mapping(slot, &none);
	return 0;
}

/*
 * Adds the frame of slot->regs to the record and goes to its caller. Returns 1 if there is none. UNWIND_NOTE: the frame was
 * added, and the next call goes to its caller. UNWIND_ASK: nothing was added, for nobody has asked for the mapping yet.
 */
#define UNWIND_NOTE 3
#define UNWIND_BLOB 4
#define UNWIND_ASK  5
static __always_inline int unwind_one(struct unwind_slot *slot, __u32 number)
{
	__u64 n = slot->record.n_user, pc = slot->regs.pc;
	__u32 rule;

	if (slot->noted) {
		slot->noted = false;
		return unwind_without_rule(number);
	}
	if (n >= slot->depth)
		return unwind_end(slot, STACK_END_DEPTH);
	if (pc - slot->start >= slot->size && (slot->size || pc != slot->asked) && !unwind_search_mapping(slot, pc))
		return UNWIND_ASK;
	if (slot->base != slot->loop)
		/* what is not an address at all is no frame of an interpreter */
		unwind_add_frame(slot, n, (pc + slot->base) & ~INTERP_FRAME);
	if (interp_is_loop(slot, pc))
		slot->place = 0;
	rule = unwind_rule_number(slot, pc);
	if (rule == UNWIND_RULE_NONE && slot->notes) {
		slot->noted = true;
		return slot->notes == INTERP_BLOBS ? UNWIND_BLOB : UNWIND_NOTE;
	}
	return rule == UNWIND_RULE_NONE ? unwind_without_rule(number) : unwind_by_rule(slot, number, rule);
}

/* How many frames one call of unwind_step() adds, and of how many all calls together find the callers. */
#define UNWIND_STEPS 4
#define UNWIND_WALK  (4 * STACK_DEPTH)
/* A call ends early where frames of an interpreter come. */
#define UNWIND_RUNS 32

/* Returns 1 if the walk has ended, 2 if frames of an interpreter come next, UNWIND_NOTE if a note may be at this one. */
__noinline int unwind_step(__u32 number)
{
	struct unwind_slot *slot = bpf_map_lookup_elem(&stack_slots, &number);

	if (!slot)
		return 1;
#pragma nounroll
	for (int i = 0; i < UNWIND_STEPS; i++) {
		int ret;

		barrier_var(i);
		ret = unwind_one(slot, number);
		if (ret)
			return ret;
		if (slot->regs.sp > slot->place)
			return 2;
	}
	return 0;
}

/*
 * The verifier follows each round of a loop, but a function that is called in one it follows once. The loop of calls is
 * inline: a function takes 32 bytes more of the stack, of which all frames together have 512 bytes.
 */
#define UNWIND_ROUNDS 16

/* Adds some frames to the record. Returns 0 when there are no more. */
__noinline int unwind_walk_some(__u32 number)
{
	for (int i = 0; i < UNWIND_ROUNDS; i++) {
		int ret = unwind_step(number);

		barrier_var(i);
		if (ret == 1)
			return 0;
		/* here and not in the step, which needs much of the stack itself */
		if (ret == 2)
			interp_flush(number);
		if (ret == UNWIND_NOTE)
			interp_note(number);
		if (ret == UNWIND_BLOB && interp_blob(number))
			return 0;
		if (ret == UNWIND_ASK && unwind_ask(number))
			return 0;
	}
	return 1;
}

/* Adds the frames of the slot's registers and of all callers to the record. */
static __always_inline int unwind_walk(__u32 number)
{
	/* more than there can be frames: the kernel may be asked before each, and some frames are left out */
	for (int i = 0; i <= (UNWIND_WALK / UNWIND_STEPS + STACK_DEPTH + UNWIND_RUNS) / UNWIND_ROUNDS; i++) {
		barrier_var(i);
		if (!unwind_walk_some(number))
			return 0;
	}
	return 1;
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
	slot->top = true;
	slot->size = 0;
	slot->asked = INTERP_NOWHERE;
	unwind_set_unsure(slot, false);
	interp_reset(slot);
	slot->address_mask = unwind_address_mask();
	slot->record.flags = slot->narrow ? STACK_32BIT : 0;
	return true;
}

#endif
