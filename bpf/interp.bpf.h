/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Takes the frames of an interpreter into the walk of bpf/unwind.bpf.h, by the plans of bpf/interp.h. Knows no
 * language.
 *
 * The frames of one run are read ahead. When the walk has left the native frame that the run belongs to, they are added
 * to the record, in place of that frame, and the next run is read. Native frames of the runtime between two runs only
 * lead from one to the other: they are left out, unless stack_setup.native.
 */
#ifndef SONDE_BPF_INTERP_BPF_H
#define SONDE_BPF_INTERP_BPF_H

#include "bpf/unwind_table.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, INTERP_PLANS);
	__type(key, __u32);
	__type(value, struct interp_plan);
} interp_plans SEC(".maps");

/* No address of a stack is so high, and no mapping has this base. */
#define INTERP_NOWHERE (~0ULL)

/*
 * How many frames one call of interp_step() reads; how many calls read a run, for a recursion of 1,024; and how many
 * read all runs: the list may be a ring.
 */
#define INTERP_STEP	 8
#define INTERP_STEPS	 128
#define INTERP_STEPS_ALL 192

/* Adds a frame to the record, which has n. */
static __always_inline void unwind_add_frame(struct unwind_slot *slot, __u64 n, __u64 frame)
{
	slot->record.frames[n & STACK_DEPTH] = frame;
	slot->record.n_user = n + 1;
	slot->before = slot->hash;
	slot->hash = unwind_fold(slot->hash, frame);
}
_Static_assert((STACK_DEPTH & (STACK_DEPTH + 1)) == 0, "a mask");

struct task_struct___interp {
	struct {
		unsigned long fsbase; /* x86-64 */
		struct {
			unsigned long tp_value;
		} uw; /* arm64 */
	} thread;
} CORE;

/* arm64: as it was when the task last left its processor; after exec the old one, until it has left it once. */
static __always_inline __u64 interp_thread_pointer(void)
{
	struct task_struct___interp *task = (void *)bpf_get_current_task();

#if defined(__TARGET_ARCH_x86)
	return BPF_CORE_READ(task, thread.fsbase);
#else
	return BPF_CORE_READ(task, thread.uw.tp_value);
#endif
}

/* The frame as a number. */
static __always_inline __u64 interp_frame(const struct interp_plan *plan, __u64 code, __u64 place)
{
	if (code & 7 || code >> INTERP_ADDRESS_BITS)
		code = 0;
	if (plan->boundary == INTERP_EACH)
		place = (__u64)(__s64)(__s32)place >> (plan->code_data & 1);
	else
		place = (place - code - plan->code_data) >> 1;
	/* in more code than there are places; before its begin, places are larger than any code */
	if (place >= INTERP_PLACE_BEFORE && place < 1ULL << 32)
		place = INTERP_PLACE_BEFORE;
	return INTERP_FRAME | code >> 3 << INTERP_PLACE_BITS | (place & INTERP_PLACE_MASK);
}

/* The line of an instruction; 0: none. */
static __always_inline __u64 interp_line(const struct interp_plan *plan, __u64 instruction)
{
	__u32 line;

	if (bpf_probe_read_user(&line, sizeof(line), (void *)instruction + plan->code_data) || line > INTERP_LINE_MASK)
		return 0;
	return line;
}

/* The frame as a number, with INTERP_LOOP. An internal function does not end a run. */
static __always_inline __u64 interp_frame_in_loop(const struct interp_plan *plan, __u64 code, __u64 place, bool *ends)
{
	struct interp_function function;
	__u64 line = 0;

	if (bpf_probe_read_user(&function, sizeof(function), (void *)code))
		return INTERP_FRAME;
	if (function.kind & 1) {
		*ends = false;
	} else {
		line = interp_line(plan, place);
		if ((function.flags & plan->closures) == plan->closure)
			line |= INTERP_OF_CLOSURE << INTERP_LINE_BITS;
		else if (!function.name)
			line |= INTERP_OF_FILE << INTERP_LINE_BITS;
	}
	if (line >> INTERP_LINE_BITS && bpf_probe_read_user(&code, sizeof(code), (void *)code + plan->file))
		return INTERP_FRAME;
	return code & 7 || code >> INTERP_ADDRESS_BITS ? INTERP_FRAME : INTERP_FRAME | code >> 3 << INTERP_PLACE_BITS | line;
}

/* What *owner points to, with INTERP_ARRAY. */
struct interp_environment {
	__u64 internal, unused, flags;
};

/* The frame as a number, with INTERP_ARRAY; 0: it has no function. */
static __always_inline __u64 interp_frame_in_array(struct unwind_slot *slot, const struct interp_plan *plan, __u64 code,
						   __u64 place, __u64 owner, bool *ends)
{
	struct interp_environment environment;
	__u64 kind;

	*ends = true;
	if (bpf_probe_read_user(&environment, sizeof(environment), (void *)owner - 16)) {
		slot->next = 0;
		return 0;
	}
	kind = environment.flags & plan->kinds;
	if (kind == plan->end) {
		slot->next = 0;
		return 0;
	}
	*ends = environment.flags & plan->owners;
	if (kind == plan->internal) {
		code = environment.internal;
		place = 8;
	}
	if (!place)
		return 0;
	if (code & 7 || code >> INTERP_ADDRESS_BITS)
		code = 0;
	return INTERP_FRAME | code >> 3 << INTERP_PLACE_BITS | (place >> 3 & INTERP_PLACE_MASK);
}

/* The frame in slot->words as a number; 0: it has no function. */
static __always_inline __u64 interp_frame_by_plan(struct unwind_slot *slot, const struct interp_plan *plan, __u64 code,
						  __u64 place, __u64 owner, bool *ends)
{
	if (plan->boundary == INTERP_ARRAY) {
		owner = *(__u64 *)((char *)slot->words + (plan->owner & 0x78));
		return interp_frame_in_array(slot, plan, code, place, owner, ends);
	}
	if (plan->boundary == INTERP_LOOP) {
		*ends = code && owner & plan->owners;
		return code ? interp_frame_in_loop(plan, code, place, ends) : 0;
	}
	*ends = plan->boundary == INTERP_EACH || (plan->boundary == INTERP_ENTRY && owner == 1);
	return interp_frame(plan, code, place);
}

/*
 * Reads frames of the run into slot->ahead, as far as the record could hold them; what is behind is only followed.
 * Returns 1 at the end of the run. Global as unwind_step() is.
 */
__noinline int interp_step(__u32 number)
{
	struct unwind_slot *slot = bpf_map_lookup_elem(&stack_slots, &number);
	struct interp_plan *plan;
	__u32 key;

	if (!slot)
		return 1;
	key = slot->plan;
	plan = bpf_map_lookup_elem(&interp_plans, &key);
	if (!plan)
		return 1;
	if (++slot->steps > INTERP_STEPS_ALL) {
		slot->next = 0;
		return 1;
	}
#pragma nounroll
	for (int i = 0; i < INTERP_STEP; i++) {
		__u64 at = slot->next, size = plan->size, code = plan->code, next = plan->next, place = plan->place;
		__u64 owner = plan->owner, n = slot->n_ahead, frame;
		bool ends;

		barrier_var(i);
		barrier_var(size);
		barrier_var(code);
		barrier_var(next);
		barrier_var(place);
		barrier_var(owner);
		if (!at)
			return 1;
		size &= 0x7f;
		if (bpf_probe_read_user(slot->words, size, (void *)at)) {
			slot->next = 0;
			return 1;
		}
		code = *(__u64 *)((char *)slot->words + (code & 0x78)) & ~(__u64)plan->tag;
		slot->next = *(__u64 *)((char *)slot->words + (next & 0x78));
		place = *(__u64 *)((char *)slot->words + (place & 0x78));
		owner = *((__u8 *)slot->words + (owner & 0x7f));
		if (plan->boundary == INTERP_SHIM && owner >= plan->owners) {
			slot->place = at;
			return 1;
		}
		if (plan->boundary == INTERP_ARRAY)
			slot->next = at + plan->next;
		frame = interp_frame_by_plan(slot, plan, code, place, owner, &ends);
		barrier_var(n);
		if (frame && n < slot->depth) {
			slot->ahead[n & STACK_DEPTH] = frame;
			slot->n_ahead = n + 1;
		}
		if (ends)
			return 1;
	}
	return 0;
}

/* Reads the next run. */
static __always_inline void interp_fill(struct unwind_slot *slot, __u32 number)
{
	slot->n_ahead = 0;
	slot->place = INTERP_NOWHERE;
	for (int i = 0; i < INTERP_STEPS; i++) {
		barrier_var(i);
		if (interp_step(number))
			break;
	}
}

static __always_inline bool interp_is_loop(const struct unwind_slot *slot, __u64 pc)
{
	return pc - slot->code < slot->code_size && pc - slot->gap >= slot->gap_size;
}

/* The thread's table of modules (dtv) is at this distance from the thread pointer. */
#if defined(__TARGET_ARCH_x86)
#define INTERP_DTV 8
#else
#define INTERP_DTV 0
#endif
/* A descriptor's argument is a distance from here on, and an address from there on. */
#define INTERP_TLS_MIN 16
#define INTERP_TLS_MAX (1 << 24)

/* The address of a variable of the current thread, by what dynamic linking has put at an address; 0: none. */
static __always_inline __u64 interp_variable(__u64 at)
{
	__u64 index[2], dtv, thread = interp_thread_pointer();

	if (bpf_probe_read_user(index, sizeof(index), (void *)at))
		return 0;
#if defined(__TARGET_ARCH_arm64)
	/* what dynamic linking has not filled in yet: at the thread pointer itself is no variable */
	if (!index[0] || index[1] < INTERP_TLS_MIN)
		return 0;
	if (index[1] < INTERP_TLS_MAX)
		return thread + index[1];
	if (bpf_probe_read_user(index, sizeof(index), (void *)index[1]))
		return 0;
#endif
	if (bpf_probe_read_user(&dtv, sizeof(dtv), (void *)thread + INTERP_DTV) ||
	    bpf_probe_read_user(&dtv, sizeof(dtv), (void *)dtv + index[0] * 16))
		return 0;
	return dtv + index[1];
}

/* The address at which the current thread's pointer to its frames is; 0: none. */
static __always_inline __u64 interp_root(const struct unwind_slot *slot, const struct interp_plan *plan)
{
	__u32 key;

	if (plan->tls)
		return interp_variable(slot->space.runtime + plan->key);
	if (!plan->by_key)
		return slot->space.runtime + plan->key;
	/* until the runtime is up the key is 0, which is somebody else's or nobody's */
	if (!slot->space.keys || bpf_probe_read_user(&key, sizeof(key), (void *)slot->space.runtime + plan->key) ||
	    key >= INTERP_KEYS)
		return 0;
	return interp_thread_pointer() + slot->space.keys + key * INTERP_KEY_SIZE + 8;
}

/* Whether an address is one of the instructions of a function. */
static __always_inline bool interp_is_instruction(const struct interp_plan *plan, __u64 function, __u64 at)
{
	__u64 begin;
	__u32 n;

	return !bpf_probe_read_user(&begin, 8, (void *)function + plan->instructions) &&
	       !bpf_probe_read_user(&n, sizeof(n), (void *)function + plan->n_instructions) &&
	       at - begin < (__u64)n * plan->instruction_size && (at - begin) % plan->instruction_size == 0;
}

/*
 * Compares the first frame, at an address, with what the loop has in registers: if it executes that frame, the place is
 * there. Code of a JIT compiler may leave the frame's own place as it was before the call. If the loop executes neither
 * that frame nor, for an internal function, its caller, it has left its frames already.
 */
static __always_inline void interp_by_registers(struct unwind_slot *slot, const struct interp_plan *plan, __u64 first)
{
	__u64 *regs = unwind_task_regs((void *)bpf_get_current_task());
	__u64 at, in_register, place, next, line, function;

	if (plan->frame_register == plan->place_register || !slot->n_ahead ||
	    bpf_probe_read_kernel(&at, 8, regs + plan->frame_register) ||
	    bpf_probe_read_kernel(&in_register, 8, regs + plan->place_register) ||
	    bpf_probe_read_user(&place, 8, (void *)first + plan->place) ||
	    bpf_probe_read_user(&next, 8, (void *)first + plan->next) ||
	    bpf_probe_read_user(&function, 8, (void *)first + plan->code) || !function)
		return; /* a frame without a function is not ahead[0] */
	if (INTERP_PLACE(slot->ahead[0])) {
		place = at == first && interp_is_instruction(plan, function, in_register) ? in_register : place;
		line = interp_is_instruction(plan, function, place) ? interp_line(plan, place) : 0;
		slot->ahead[0] = (slot->ahead[0] & ~(__u64)INTERP_LINE_MASK) | line;
	} else if (at != first && at != next && interp_is_loop(slot, slot->regs.pc)) {
		slot->n_ahead = 0;
		slot->next = first;
	}
}

/* Finds the list of the current thread, if it has one, and reads the first run. */
__noinline int interp_begin(__u32 number)
{
	struct unwind_slot *slot = bpf_map_lookup_elem(&stack_slots, &number);
	struct interp_plan *plan;
	__u64 at, link = 0;
	__u32 key;

	if (!slot)
		return 0;
	key = slot->plan;
	if (key == INTERP_UNKNOWN)
		slot->record.flags |= STACK_UNKNOWN_RUNTIME;
	plan = bpf_map_lookup_elem(&interp_plans, &key);
	if (!plan || !plan->boundary || slot->narrow)
		return 0;
	if (plan->boundary >= INTERP_NOTES) {
		slot->notes = plan->boundary;
		return 0;
	}
	/* One list for the process is of its first thread: others are of libraries and execute no PHP. */
	if (!plan->by_key && !plan->tls && (__u32)bpf_get_current_pid_tgid() != bpf_get_current_pid_tgid() >> 32)
		return 0;
	at = interp_root(slot, plan);
	if (!at || bpf_probe_read_user(&at, sizeof(at), (void *)at) || !at)
		return 0;
	for (int i = 0; i < 2; i++) {
		if (i >= plan->n_deref)
			break;
		link = at;
		if (bpf_probe_read_user(&at, sizeof(at), (void *)at + plan->deref[i]))
			return 0;
	}
	slot->next = at;
	interp_fill(slot, number);
	slot->link = link;
	if (at && plan->boundary == INTERP_ENTRY)
		slot->place = link;
	if (plan->boundary < INTERP_LOOP)
		return 0;
	slot->code = slot->space.runtime + plan->loop.begin;
	slot->code_size = plan->loop.size;
	slot->gap = slot->space.runtime + plan->loop.gap;
	slot->gap_size = plan->loop.gap_size;
	if (slot->regs.pc - slot->space.runtime - plan->entry < plan->prologue) {
		slot->n_ahead = 0;
		slot->next = at;
	}
	interp_by_registers(slot, plan, at);
	return 0;
}

/* As UNWIND_ROUNDS. */
#define INTERP_ROUNDS 16

/* Adds some frames of the run that was read ahead, from this one on. Returns 0 when there are no more. */
__noinline int interp_add_ahead(__u32 number, __u32 from)
{
	struct unwind_slot *slot = bpf_map_lookup_elem(&stack_slots, &number);

	if (!slot)
		return 0;
	for (__u32 i = 0; i < INTERP_ROUNDS; i++) {
		barrier_var(i);
		if (from + i >= slot->n_ahead || slot->record.n_user >= slot->depth)
			return 0;
		unwind_add_frame(slot, slot->record.n_user, slot->ahead[(from + i) & STACK_DEPTH]);
	}
	return 1;
}

/* Adds the run that was read ahead to the record, and reads the next one. */
__noinline int interp_flush(__u32 number)
{
	struct unwind_slot *slot = bpf_map_lookup_elem(&stack_slots, &number);
	struct interp_plan *plan;
	__u64 at;
	__u32 key;

	if (!slot)
		return 0;
	key = slot->plan;
	plan = bpf_map_lookup_elem(&interp_plans, &key);
	if (!plan)
		return 0;
	/* the loop has just begun or ended; or another one has, and that one has given its frame to the one before it */
	if (plan->boundary >= INTERP_LOOP && !slot->n_ahead && !slot->next) {
		if (plan->boundary == INTERP_EACH && !stack_setup.native && slot->record.n_user && slot->base) {
			slot->record.n_user--;
			slot->hash = slot->before;
		}
		slot->place = INTERP_NOWHERE;
		return 0;
	}
	/* the loop's own frame: the later ones are left out with the others of the runtime */
	if (!stack_setup.native && slot->loop == INTERP_NOWHERE && slot->record.n_user && slot->base) {
		slot->loop = slot->base;
		slot->record.n_user--;
		slot->hash = slot->before;
	}
	slot->record.pid = slot->tgid;
	for (__u32 i = 0; i < STACK_DEPTH; i += INTERP_ROUNDS)
		if (!interp_add_ahead(number, i))
			break;
	if (!slot->next) {
		/* all frames that follow are shown */
		slot->n_ahead = 0;
		slot->place = slot->loop = INTERP_NOWHERE;
		return 0;
	}
	interp_fill(slot, number);
	/* what was left had no functions */
	if (!slot->n_ahead && !slot->next) {
		slot->place = slot->loop = INTERP_NOWHERE;
		return 0;
	}
	if (plan->boundary == INTERP_ENTRY) {
		at = slot->link;
		if (bpf_probe_read_user(&at, sizeof(at), (void *)at + plan->link) || !at)
			at = INTERP_NOWHERE;
		slot->link = slot->place = at;
	}
	return 0;
}

/* Adds some runs of the list. Returns 0 when there are no more. */
__noinline int interp_rest_some(__u32 number)
{
	struct unwind_slot *slot = bpf_map_lookup_elem(&stack_slots, &number);

	if (!slot)
		return 0;
	for (int i = 0; i < INTERP_ROUNDS; i++) {
		barrier_var(i);
		if ((!slot->n_ahead && !slot->next) || slot->record.n_user >= slot->depth)
			return 0;
		/* the last frame of the walk is no loop's */
		if (slot->loop == INTERP_NOWHERE)
			slot->loop = 0;
		slot->record.flags |= STACK_INTERP_LOOSE;
		interp_flush(number);
	}
	return 1;
}

/* Adds what is left of the list when the walk has ended: its place among the native frames is not known. */
static __always_inline void interp_rest(__u32 number)
{
	for (int i = 0; i < STACK_DEPTH; i += INTERP_ROUNDS)
		if (!interp_rest_some(number))
			break;
}

/* --- INTERP_NOTES --- */

/* How many return addresses are in registers: on arm64 one is in LR, where that of an earlier call may be, too. */
#if defined(__TARGET_ARCH_x86)
#define INTERP_RETURNS 0
#else
#define INTERP_RETURNS 1
#endif

/*
 * Adds the return address that is among the n words from SP on, if there is one into code that a compiler made, which is
 * in no file. Innermost code may have no frame of its own, or not yet: then it has that of who has called it. n: 4 at most.
 */
static __always_inline __u64 interp_add_caller(struct unwind_slot *slot, int n, __u64 place)
{
	if (!slot->exact || slot->record.n_user >= slot->depth ||
	    bpf_probe_read_user(slot->words + INTERP_RETURNS, (4 - INTERP_RETURNS) * 8, (void *)slot->regs.sp))
		return place;
	if (INTERP_RETURNS)
		slot->words[0] = slot->regs.lr;
#pragma nounroll
	for (int i = 0; i < n; i++) {
		__u64 address = i;

		barrier_var(i);
		barrier_var(address);
		address = slot->words[address & 3];
		if (address >> INTERP_ADDRESS_BITS || !unwind_search_mapping(slot, address) || slot->base)
			continue;
		unwind_add_frame(slot, slot->record.n_user, address - 1);
		return INTERP_PLACE_MAYBE;
	}
	return place;
}

/* What is read of a note, in the slot: the stack has no room, since programs of users call the walk deep in theirs. */
#define NOTE_AT	    8 /* in slot->words, behind what interp_add_caller() reads */
#define NOTE_SHARED (NOTE_AT + sizeof(struct interp_note) / 8)
#define NOTE_PLACE  (NOTE_SHARED + 1)

static __always_inline struct interp_note *interp_note_of(struct unwind_slot *slot)
{
	return (void *)&slot->words[NOTE_AT];
}

/* The offset of the frame's code in its file. Computed where it is wanted: see above. */
static __always_inline __u64 interp_note_offset(const volatile struct unwind_slot *slot)
{
	return (slot->regs.pc + slot->base) & STACK_OFFSET_MASK;
}

/* The place in the function of the innermost frame. Code that the loop jumps to has the frame of the loop. */
static __always_inline __u64 interp_place_on_top(struct unwind_slot *slot, const struct interp_plan *plan)
{
	__u64 *regs = unwind_task_regs((void *)bpf_get_current_task());
	__u64 place;

	if (bpf_probe_read_kernel(&slot->words[NOTE_PLACE], 8, regs + plan->frame_register))
		return INTERP_PLACE_UNKNOWN;
	if (slot->words[NOTE_PLACE] != interp_note_of(slot)->bytecode)
		return interp_add_caller(slot, 4, INTERP_PLACE_UNKNOWN);
	if (bpf_probe_read_kernel(&slot->words[NOTE_PLACE], 8, regs + plan->place_register))
		return INTERP_PLACE_UNKNOWN;
	place = slot->words[NOTE_PLACE];
	if (interp_note_offset(slot) - plan->loop.gap >= plan->loop.gap_size)
		place = interp_note_of(slot)->offset >> 32;
	return place < INTERP_PLACE_UNKNOWN ? place : INTERP_PLACE_UNKNOWN;
}

/* Reads the note of the frame that was added last. False: it is no function's. */
static __always_inline bool interp_read_note(struct unwind_slot *slot, const struct interp_plan *plan)
{
	struct interp_note *note = interp_note_of(slot);
	__u64 *shared = &slot->words[NOTE_SHARED];

	return !bpf_probe_read_user(note, sizeof(*note), (void *)slot->regs.fp - sizeof(*note)) &&
	       (note->context & 3) == 1 && (note->function & 3) == 1 &&
	       !bpf_probe_read_user(shared, 8, (void *)note->function - 1 + plan->code) && (*shared & 7) == 1 &&
	       !(*shared >> INTERP_ADDRESS_BITS);
}

/* Adds the function of the frame that was added last, if it is one's. */
__noinline int interp_note(__u32 number)
{
	struct unwind_slot *slot = bpf_map_lookup_elem(&stack_slots, &number);
	struct interp_plan *plan;
	__u64 place = INTERP_PLACE_UNKNOWN;
	bool in_loop;

	if (!slot)
		return 0;
	plan = bpf_map_lookup_elem(&interp_plans, &slot->plan);
	/* a handler of a signal has the frame pointer of what it interrupted */
	if (slot->base && !slot->exact && !bpf_probe_read_user(slot->words, 8, (void *)slot->regs.pc + 1) &&
	    slot->words[0] == UNWIND_SIGRETURN)
		return 0;
	if (!plan || !interp_read_note(slot, plan))
		return 0;
	in_loop = slot->base && interp_note_offset(slot) - plan->loop.begin < plan->loop.size;
	if (!slot->base)
		place = slot->top ? interp_add_caller(slot, 1, INTERP_PLACE_BY_CODE) : INTERP_PLACE_BY_CODE;
	else if (slot->top)
		place = interp_place_on_top(slot, plan);
	else if (in_loop && !(__u32)interp_note_of(slot)->offset &&
		 interp_note_of(slot)->offset >> 32 < INTERP_PLACE_UNKNOWN)
		place = interp_note_of(slot)->offset >> 32;
	/* in place of the loop's own frame */
	if (in_loop && place < INTERP_PLACE_UNKNOWN && !stack_setup.native && slot->record.n_user) {
		slot->record.n_user--;
		slot->hash = slot->before;
	}
	slot->record.pid = slot->tgid;
	if (slot->record.n_user < slot->depth)
		unwind_add_frame(slot, slot->record.n_user,
				 INTERP_FRAME | (slot->words[NOTE_SHARED] - 1) >> 3 << INTERP_PLACE_BITS | place);
	return 0;
}

/* Before each walk. */
static __always_inline void interp_reset(struct unwind_slot *slot)
{
	slot->plan = slot->known ? slot->space.plan : 0;
	slot->n_ahead = 0;
	slot->next = 0;
	slot->steps = 0;
	slot->code_size = 0;
	slot->notes = 0;
	slot->noted = false;
	slot->place = slot->loop = INTERP_NOWHERE;
}

#endif
