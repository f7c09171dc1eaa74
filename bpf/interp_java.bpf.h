/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Walks through frames of HotSpot, by a plan with INTERP_BLOBS: those of its interpreter have a frame pointer, those of
 * compiled code a size, which the head of the code says. Each is read when a stack is taken: code comes and goes.
 */
#ifndef SONDE_BPF_INTERP_JAVA_BPF_H
#define SONDE_BPF_INTERP_JAVA_BPF_H

#include "bpf/interp.bpf.h"

#define JAVA_HEAPS 4
/* How far the head of a piece of code is, in steps of the map of segments. */
#define JAVA_HOPS 16
/* Words that are read of a frame of the interpreter, and where its frame pointer is among them. */
#define JAVA_FRAME 11
#define JAVA_FP	   9

/* What the walk knows of the process, and what it reads: in place of the frames ahead, of which HotSpot has none. */
struct java_walk {
	__u64 low, size;		     /* of all that is compiled */
	__u64 interpreter, interpreter_size; /* the interpreter's code */
	__u64 call_stub;		     /* to where Java returns when C code has called it */
	__u64 shift;			     /* of the size of a segment */
	struct java_heap {
		__u64 low, size, segments;
	} heaps[JAVA_HEAPS];
	__u64 frame[JAVA_FRAME];
	__u64 code[2]; /* 8 bytes before the place, and 8 from there on */
	__u64 pair[2]; /* the caller's frame pointer, and the address to return to */
	__u64 word;
	__u64 head[64];
};
_Static_assert(sizeof(struct java_walk) <= sizeof(((struct unwind_slot *)0)->ahead), "it has room");

static __always_inline struct java_walk *java_walk_of(struct unwind_slot *slot)
{
	return (void *)slot->ahead;
}

/* What of a head is at an offset. */
static __always_inline __u64 java_head(const struct java_walk *walk, __u64 offset)
{
	barrier_var(offset);
	return *(__u64 *)((char *)walk->head + (offset & 0x1f8));
}

static __always_inline __u32 java_head_int(const struct java_walk *walk, __u64 offset)
{
	barrier_var(offset);
	return *(__u32 *)((char *)walk->head + (offset & 0x1fc));
}

static __always_inline bool java_read_head(struct java_walk *walk, __u64 size, __u64 at)
{
	barrier_var(size);
	size &= 0x1ff;
	return !bpf_probe_read_user(walk->head, size, (void *)at);
}

/* The heaps of code, as they are now. */
static __always_inline bool java_read_heaps(struct java_walk *walk, const struct interp_java *java, __u64 state)
{
	__u64 at, heaps;
	__u32 n;

	if (bpf_probe_read_user(&at, 8, (void *)state + java->heaps) ||
	    bpf_probe_read_user(&n, 4, (void *)at + java->array_length) ||
	    bpf_probe_read_user(&heaps, 8, (void *)at + java->array_data))
		return false;
#pragma nounroll
	for (__u32 i = 0; i < JAVA_HEAPS; i++) {
		barrier_var(i);
		walk->heaps[i].size = 0;
		if (i >= n || bpf_probe_read_user(&at, 8, (void *)heaps + i * 8) ||
		    !java_read_head(walk, java->heap_size, at))
			continue;
		walk->heaps[i].low = java_head(walk, java->heap_low);
		walk->heaps[i].size = java_head(walk, java->heap_high) - walk->heaps[i].low;
		walk->heaps[i].segments = java_head(walk, java->heap_segments);
		walk->shift = java_head_int(walk, java->heap_shift) & 31;
	}
	return true;
}

/* What of the process holds for all frames. */
static __always_inline bool java_begin(struct unwind_slot *slot, const struct interp_java *java)
{
	struct java_walk *walk = java_walk_of(slot);
	__u64 state = slot->space.runtime, queue;
	__u32 size;

	if (bpf_probe_read_user(&walk->low, 8, (void *)state + java->low) ||
	    bpf_probe_read_user(&walk->size, 8, (void *)state + java->high) ||
	    bpf_probe_read_user(&queue, 8, (void *)state + java->interpreter) ||
	    bpf_probe_read_user(&walk->interpreter, 8, (void *)queue + java->queue_begin) ||
	    bpf_probe_read_user(&size, 4, (void *)queue + java->queue_size) ||
	    bpf_probe_read_user(&walk->call_stub, 8, (void *)state + java->call_stub))
		return false;
	walk->size -= walk->low;
	walk->interpreter_size = size;
	return java_read_heaps(walk, java, state);
}

/* Whether an address is one of code of HotSpot. Nothing else calls that. */
static __always_inline bool java_is_code(const struct java_walk *walk, __u64 at)
{
	return at - walk->low < walk->size;
}

/* Puts a number in place of the frame that was added last. */
static __always_inline void java_show(struct unwind_slot *slot, __u64 code, __u64 place)
{
	if (slot->record.n_user) {
		slot->record.n_user--;
		slot->hash = slot->before;
	}
	slot->record.pid = slot->tgid;
	if (slot->record.n_user < slot->depth)
		unwind_add_frame(slot, slot->record.n_user,
				 INTERP_FRAME | code << INTERP_PLACE_BITS | (place & INTERP_PLACE_MASK));
}

/* Goes to the caller. False: no caller of such code is there. */
static __always_inline bool java_return(struct unwind_slot *slot, __u64 at, __u64 sp, __u64 fp)
{
	if (!java_is_code(java_walk_of(slot), at))
		return false;
	slot->regs.pc = at - 1;
	slot->regs.sp = sp;
	slot->regs.fp = fp;
	slot->exact = slot->has_lr = slot->top = slot->noted = false;
	return true;
}

/* Goes to the caller of code without a frame: the address to return to is the word at SP, on arm64 in the link register. */
static __always_inline bool java_return_at_sp(struct unwind_slot *slot)
{
#if defined(__TARGET_ARCH_x86)
	struct java_walk *walk = java_walk_of(slot);

	return !bpf_probe_read_user(&walk->word, 8, (void *)slot->regs.sp) &&
	       java_return(slot, walk->word, slot->regs.sp + 8, slot->regs.fp);
#else
	return slot->has_lr && java_return(slot, slot->regs.lr, slot->regs.sp, slot->regs.fp);
#endif
}

/* Goes to the caller, if its frame pointer and the address to return to are at an address. */
static __always_inline bool java_return_by_pair(struct unwind_slot *slot, __u64 at)
{
	struct java_walk *walk = java_walk_of(slot);

	return !bpf_probe_read_user(walk->pair, sizeof(walk->pair), (void *)at) &&
	       java_return(slot, walk->pair[1], at + 16, walk->pair[0]);
}

/* --- the interpreter --- */

/* Words of a frame below its frame pointer. */
#define JAVA_SENDER (JAVA_FP - 1)
#define JAVA_METHOD (JAVA_FP - 3)
#if defined(__TARGET_ARCH_x86)
#define JAVA_BCP (JAVA_FP - 8)
#else
#define JAVA_BCP (JAVA_FP - 9)
#endif

/* pt_regs: the interpreter has the address of the instruction in r13, on arm64 in x22. */
#if defined(__TARGET_ARCH_x86)
#define JAVA_BCP_REGISTER 2
#else
#define JAVA_BCP_REGISTER 22
#endif

/* Whether code without a frame returns to compiled code. */
static __always_inline bool java_is_called_by_compiled(struct unwind_slot *slot)
{
	struct java_walk *walk = java_walk_of(slot);

#if defined(__TARGET_ARCH_x86)
	if (bpf_probe_read_user(&walk->pair[0], 8, (void *)slot->regs.sp))
		return false;
#else
	/* until its first call: it is the frame that has been read */
	if (walk->frame[JAVA_FP + 1] == slot->regs.lr)
		return false;
	walk->pair[0] = slot->regs.lr;
#endif
	return java_is_code(walk, walk->pair[0]) && walk->pair[0] - walk->interpreter >= walk->interpreter_size;
}

/* The frame of a method, if one is at the frame pointer. */
static __always_inline bool java_interpreted(struct unwind_slot *slot, const struct interp_java *java)
{
	struct java_walk *walk = java_walk_of(slot);
	__u64 *regs = unwind_task_regs((void *)bpf_get_current_task());
	__u64 method, place, fp = slot->regs.fp;

	walk->frame[JAVA_SENDER] = 0;
	if (fp < slot->regs.sp || fp & 7 ||
	    bpf_probe_read_user(walk->frame, sizeof(walk->frame), (void *)fp - JAVA_FP * 8))
		return false;
#if defined(__TARGET_ARCH_arm64)
	/* an interpreted caller has room below what it is known to use, in which this frame is */
	if (walk->frame[JAVA_SENDER] < fp + 16)
		walk->frame[JAVA_SENDER] = fp + 16;
#endif
	method = walk->frame[JAVA_METHOD];
	if (method & 7 || method >> INTERP_ADDRESS_BITS || bpf_probe_read_user(&walk->word, 8, (void *)method + java->method_const) ||
	    walk->frame[JAVA_SENDER] < fp + 16)
		return false;
	walk->word += java->code_begin;
	place = walk->frame[JAVA_BCP] - walk->word;
	if (place > JAVA_BCI_MAX && walk->frame[JAVA_BCP])
		return false;
	if (slot->top && !bpf_probe_read_kernel(&walk->code[0], 8, regs + JAVA_BCP_REGISTER)) {
		if (walk->code[0] - walk->word <= JAVA_BCI_MAX)
			place = walk->code[0] - walk->word;
		/* a method that has just begun, called by compiled code: the frame pointer is that of a caller further out */
		else if (java_is_called_by_compiled(slot))
			return false;
	}
	if (place > JAVA_BCI_MAX)
		place = JAVA_BCI_NONE;
	if (!java_return(slot, walk->frame[JAVA_FP + 1], walk->frame[JAVA_SENDER], walk->frame[JAVA_FP]))
		return false;
	java_show(slot, method >> 3, place);
	return true;
}

/* --- compiled code --- */

/* The piece of code that has an address; 0: none. Its head is read. */
static __always_inline __u64 java_find_code(struct unwind_slot *slot, const struct interp_java *java)
{
	struct java_walk *walk = java_walk_of(slot);
	__u64 pc = slot->regs.pc, segment, low = 0, segments = 0;
	__u8 byte = 1;

#pragma nounroll
	for (__u32 i = 0; i < JAVA_HEAPS; i++) {
		barrier_var(i);
		if (pc - walk->heaps[i].low < walk->heaps[i].size) {
			low = walk->heaps[i].low;
			segments = walk->heaps[i].segments;
		}
	}
	segment = (pc - low) >> walk->shift;
#pragma nounroll
	for (int i = 0; i < JAVA_HOPS; i++) {
		barrier_var(i);
		if (bpf_probe_read_user(&byte, 1, (void *)segments + segment) || byte == 0xff)
			return 0;
		if (!byte)
			break;
		segment -= byte;
	}
	if (byte)
		return 0;
	low += (segment << walk->shift) + java->block_size;
	return java_read_head(walk, java->head_size, low) ? low : 0;
}

/* Where a frame of compiled code is that was interrupted. */
enum java_state {
	JAVA_WHOLE,
	JAVA_BARE,   /* not begun, or ended: java_return_at_sp() */
	JAVA_PUSHED, /* the frame pointer and the address to return to are at SP */
	JAVA_KEPT,   /* whole, but the frame pointer is still in its register */
	JAVA_EMPTY,  /* arm64: SP is as in a whole one, but the frame pointer and the address to return to are in registers */
};

#if defined(__TARGET_ARCH_x86)

#define JAVA_PUSH_FP	 0x55
#define JAVA_POP_FP	 0x5d
#define JAVA_RET	 0xc3
#define JAVA_IS_FP_SP(w) (((w)&0xffffff) == 0xec8b48 || ((w)&0xffffff) == 0xe58948) /* mov %rsp, %rbp */
#define JAVA_IS_STORE(w) (((w)&0xffffff) == 0x6c8948 || ((w)&0xffffff) == 0xac8948) /* mov %rbp, N(%rsp) */
#define JAVA_IS_POLL(w)	 (((w)&0xffffff) == 0x673b49 || ((w)&0xffffff) == 0xa73b49) /* cmp N(%r15), %rsp */
#define JAVA_JA		 0x870f

/* begins: the place is before the one where the frame is complete. Reads the code around it. */
static __always_inline enum java_state java_state_of(struct unwind_slot *slot, bool begins)
{
	struct java_walk *walk = java_walk_of(slot);
	__u64 before, code;

	if (bpf_probe_read_user(walk->code, sizeof(walk->code), (void *)slot->regs.pc - 8))
		return JAVA_WHOLE;
	before = walk->code[0];
	code = walk->code[1];
	if (begins && JAVA_IS_STORE(code))
		return JAVA_KEPT;
	if (begins)
		return before >> 56 == JAVA_PUSH_FP || JAVA_IS_FP_SP(before >> 40) ? JAVA_PUSHED : JAVA_BARE;
	if ((code & 0xff) == JAVA_POP_FP || (before >> 56 == JAVA_PUSH_FP && JAVA_IS_FP_SP(code)))
		return JAVA_PUSHED;
	if ((code & 0xff) == JAVA_RET || (code & 0xff) == JAVA_PUSH_FP || JAVA_IS_POLL(code) ||
	    ((code & 0xffff) == JAVA_JA && (JAVA_IS_POLL(before >> 8) || JAVA_IS_POLL(before >> 32))))
		return JAVA_BARE;
	return JAVA_WHOLE;
}

#else

#define JAVA_STP(w)	 (((w)&0xffc07fff) == 0xa9007bfd) /* stp x29, x30, [sp, #N] */
#define JAVA_LDP(w)	 (((w)&0xffc07fff) == 0xa9407bfd) /* ldp x29, x30, [sp, #N] */
#define JAVA_STP_PRE	 0xa9bf7bfdU			  /* stp x29, x30, [sp, #-16]! */
#define JAVA_LDP_POST	 0xa8c17bfdU			  /* ldp x29, x30, [sp], #16 */
#define JAVA_FP_SP	 0x910003fdU			  /* mov x29, sp */
#define JAVA_ADD(w)	 (((w)&0xff8003ff) == 0x910003ff) /* add sp, sp, #N */
#define JAVA_SUB_REG(w)	 (((w)&0xffe0ffff) == 0xcb2063ff) /* sub sp, sp, xN */
#define JAVA_CMP_SP(w)	 (((w)&0xffe0ffff) == 0xeb2063ff) /* cmp sp, xN: a poll */
#define JAVA_LDR_POLL(w) (((w)&0xffc003e0) == 0xf9400380) /* ldr xN, [x28, #N] */
#define JAVA_TOUCH(w)	 (((w)&0xfffffc1f) == 0xb940001f) /* ldr wzr, [xN]: a poll of OpenJDK 11 */
#define JAVA_RET	 0xd65f03c0U

/*
 * The same. A frame is made by sub sp and stp, a large one by stp and sub sp; what follows until it is complete does not
 * change it, nor the link register. Behind that stp the frame pointer may be set. The other way round it is left; then a
 * poll and a return follow.
 */
static __always_inline enum java_state java_state_of(struct unwind_slot *slot, bool begins)
{
	struct java_walk *walk = java_walk_of(slot);
	__u32 two_before, before, code, next;

	if (bpf_probe_read_user(walk->code, sizeof(walk->code), (void *)slot->regs.pc - 8))
		return JAVA_WHOLE;
	two_before = walk->code[0];
	before = walk->code[0] >> 32;
	code = walk->code[1];
	next = walk->code[1] >> 32;
	if (before == JAVA_STP_PRE || (before == JAVA_FP_SP && two_before == JAVA_STP_PRE) || code == JAVA_LDP_POST ||
	    (begins && JAVA_SUB_REG(code)))
		return JAVA_PUSHED;
	if (begins ? JAVA_STP(code) : JAVA_ADD(code) && JAVA_LDP(before))
		return JAVA_EMPTY;
	if (begins || code == JAVA_RET || (JAVA_ADD(before) && JAVA_LDP(two_before)) || before == JAVA_LDP_POST || JAVA_CMP_SP(before) ||
	    (JAVA_CMP_SP(code) && JAVA_LDR_POLL(before)) || (JAVA_TOUCH(code) && next == JAVA_RET))
		return JAVA_BARE;
	return JAVA_WHOLE;
}

#endif

/* How many instructions come at most between the one that makes a frame and the place where it is complete. */
#define JAVA_MADE 32

/* arm64: whether code that begins at an address has made its frame, though it is not complete. Overwrites the head. */
static __always_inline bool java_has_made(struct unwind_slot *slot, __u64 begin)
{
#if defined(__TARGET_ARCH_x86)
	return false;
#else
	struct java_walk *walk = java_walk_of(slot);
	__u64 size = slot->regs.pc - begin;
	const __u32 *code = (void *)walk->head;

	if (size > JAVA_MADE * 4)
		size = JAVA_MADE * 4;
	if (!java_read_head(walk, size, slot->regs.pc - size))
		return false;
#pragma nounroll
	for (__u32 i = 0; i < JAVA_MADE; i++) {
		barrier_var(i);
		if (i >= size / 4)
			break;
		if (JAVA_STP(code[i & (JAVA_MADE - 1)]) || code[i & (JAVA_MADE - 1)] == JAVA_STP_PRE)
			return true;
	}
	return false;
#endif
}

/* Goes to the caller of code whose frame has a size, in bytes. */
static __always_inline bool java_leave(struct unwind_slot *slot, const struct interp_java *java, __u64 code, __u64 size)
{
	struct java_walk *walk = java_walk_of(slot);
	__u64 begin = java_head(walk, java->code_at), fp = slot->regs.fp;
	__s64 complete = (__s32)java_head_int(walk, java->complete & ~3U);
	enum java_state state = JAVA_WHOLE;
	bool begins;

	if (java->is_short) {
		begin = code + java_head_int(walk, java->code_at);
		complete = (__s16)((__u32)complete >> (java->complete & 2) * 8);
	}
	/* negative: it is not known */
	begins = (__s64)(slot->regs.pc - begin) < complete;
	if (slot->exact)
		state = java_state_of(slot, begins);
	if (state == JAVA_EMPTY)
		slot->regs.sp += size;
	if (state == JAVA_EMPTY || (state == JAVA_BARE && !(begins && java_has_made(slot, begin))))
		return java_return_at_sp(slot);
	if (state == JAVA_PUSHED)
		return java_return_by_pair(slot, slot->regs.sp);
	if (!java_return_by_pair(slot, slot->regs.sp + size - 16))
		return slot->exact && java_return_at_sp(slot);
	if (state == JAVA_KEPT)
		slot->regs.fp = fp;
	return true;
}

/* How far a stub's frame pointer is at most from where it stands. */
#define JAVA_STUB_FRAME 4096

/* Names of stubs that have no frame, by their begin: "vtable chunks", "I2C/C2I adapters", "MethodHandles adapters". */
#define JAVA_IS_BARE(w) (((w)&0xffff) == 0x7476 || ((w)&0xffff) == 0x3249 || ((w)&0xffff) == 0x654d)

#if defined(__TARGET_ARCH_arm64)
/*
 * Whether a stub has no frame. Other code of HotSpot has called it, and the address to return to is not where a frame
 * would have it. In front of a piece of code is how many segments it has.
 */
static __always_inline bool java_is_leaf(struct unwind_slot *slot, const struct interp_java *java, __u64 code)
{
	struct java_walk *walk = java_walk_of(slot);
	__u64 lr = slot->regs.lr;

	if (!java_is_code(walk, lr) || bpf_probe_read_user(&walk->word, 8, (void *)code - java->block_size) ||
	    lr - code < (walk->word & 0xffffffff) << walk->shift)
		return false;
	return bpf_probe_read_user(&walk->word, 8, (void *)slot->regs.fp + 8) || walk->word != lr;
}
#endif

/* Goes to the caller of a stub, whose head does not say how large its frame is. Those that call have a frame pointer. */
static __always_inline bool java_leave_stub(struct unwind_slot *slot, const struct interp_java *java, __u64 code)
{
	struct java_walk *walk = java_walk_of(slot);
	enum java_state state = JAVA_WHOLE;

	/* a name that is not in memory is none of these */
	if (slot->exact && bpf_probe_read_user(&walk->word, 8, (void *)java_head(walk, java->name)))
		walk->word = 0;
	if (slot->exact)
		state = JAVA_IS_BARE(walk->word) ? JAVA_BARE : java_state_of(slot, false);
	else
		slot->record.flags |= STACK_FRAME_POINTER;
#if defined(__TARGET_ARCH_arm64)
	if (slot->exact && state == JAVA_WHOLE && java_is_leaf(slot, java, code))
		state = JAVA_BARE;
#endif
	if (state == JAVA_BARE)
		return java_return_at_sp(slot);
	if (state == JAVA_PUSHED)
		return java_return_by_pair(slot, slot->regs.sp);
	return slot->regs.fp - slot->regs.sp < JAVA_STUB_FRAME && java_return_by_pair(slot, slot->regs.fp);
}

/* The frame of a piece of code. */
static __always_inline bool java_compiled(struct unwind_slot *slot, const struct interp_java *java)
{
	struct java_walk *walk = java_walk_of(slot);
	__u64 code = java_find_code(slot, java), place;
	bool exact = slot->exact;
	__s32 size;

	if (!code)
		return false;
	place = slot->regs.pc + !exact - code;
	/* the places of samples are many, and no table has them */
	if (exact || place > JAVA_OFFSET_MAX)
		place = JAVA_OFFSET_MAX;
	place |= JAVA_COMPILED | (exact ? JAVA_EXACT : 0);
	/* what the code is, and its number: others may have the place later */
	walk->frame[0] = (code - walk->low) >> 3 | (__u64)(java_head_int(walk, java->number) & 0xffff) << JAVA_NUMBER_SHIFT;
	size = java_head_int(walk, java->frame_size);
	if (size > 0 ? !java_leave(slot, java, code, (__u64)size * 8) : !java_leave_stub(slot, java, code))
		return false;
	java_show(slot, walk->frame[0], place);
	return true;
}

/*
 * Shows the frame that was added last as that of a method, and goes to its caller. If it is no code of HotSpot, unwind_step()
 * does. Returns 1 if no caller is found: frame pointers would lead past those of compiled code.
 */
__noinline int interp_blob(__u32 number)
{
	struct unwind_slot *slot = bpf_map_lookup_elem(&stack_slots, &number);
	struct interp_plan *plan;
	struct java_walk *walk;

	if (!slot)
		return 0;
	plan = bpf_map_lookup_elem(&interp_plans, &slot->plan);
	if (!plan)
		return 0;
	walk = java_walk_of(slot);
	if (!slot->steps)
		slot->steps = java_begin(slot, &plan->java) ? 1 : 2;
	if (slot->steps != 1 || !java_is_code(walk, slot->regs.pc))
		return 0;
	if (slot->regs.pc - walk->interpreter < walk->interpreter_size) {
		if (java_interpreted(slot, &plan->java))
			return 0;
		/* a method that has just begun, or ended, and has no frame, or not all of it */
		if (slot->exact && !java_return_at_sp(slot) && slot->regs.fp - slot->regs.sp < sizeof(walk->frame) &&
		    walk->frame[JAVA_SENDER] >= slot->regs.fp + 16)
			java_return(slot, walk->frame[JAVA_FP + 1], walk->frame[JAVA_SENDER], walk->frame[JAVA_FP]);
		java_show(slot, 0, JAVA_BCI_NONE);
	} else if (!slot->exact && slot->regs.pc + 1 == walk->call_stub) {
		/* it only leads from C code to Java */
		if (!stack_setup.native && slot->record.n_user) {
			slot->record.n_user--;
			slot->hash = slot->before;
		}
		if (slot->regs.fp >= slot->regs.sp &&
		    !bpf_probe_read_user(walk->pair, sizeof(walk->pair), (void *)slot->regs.fp) && walk->pair[1]) {
			slot->regs.pc = walk->pair[1] - 1;
			slot->regs.sp = slot->regs.fp + 16;
			slot->regs.fp = walk->pair[0];
			slot->noted = false;
		}
	} else if (!java_compiled(slot, &plan->java)) {
		java_show(slot, 0, JAVA_BCI_NONE);
	}
	if (!slot->noted)
		return 0;
	slot->record.end = STACK_END_NO_FDE;
	return 1;
}

#endif
