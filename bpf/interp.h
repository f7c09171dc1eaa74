/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frames of interpreters: a plan says where a runtime keeps the list of frames of a thread, and what a frame looks
 * like. Shared by both sides: src/interp/ makes plans, the walk of bpf/interp.bpf.h follows them.
 *
 * From the thread pointer of the task to the first frame:
 *	key = *(u32 *)(runtime + plan.key)			the runtime's pthread key
 *	state = *(TP + plan.keys + key * 16 + 8)		what the thread has stored for it
 *	frame = *(*(state + plan.deref[0]) + plan.deref[1])	as many as plan.n_deref
 *
 * Native frames and those of the list are merged by address: each run of interpreted frames belongs to an object on the
 * native stack, of the function that executes them.
 */
#ifndef SONDE_BPF_INTERP_H
#define SONDE_BPF_INTERP_H

/* Keys that glibc keeps in the thread itself, and the bytes of one. */
#define INTERP_KEYS	32
#define INTERP_KEY_SIZE 16

enum interp_boundary {
	/* The run ends with a frame whose `owner` is at least `owners`: no function, and on the native stack. */
	INTERP_SHIM = 1,
	/*
	 * The run ends with a frame whose byte `owner` is 1. What lies on the native stack is the last object but one
	 * on the way to the first frame; the outer ones follow at `link`.
	 */
	INTERP_ENTRY,
};

struct interp_plan {
	unsigned int key;	 /* offset of the key in the runtime's state */
	unsigned short keys;	 /* offset of the first key's value from the thread pointer */
	unsigned short deref[2]; /* offsets on the way from the thread's state to its first frame */
	unsigned char n_deref;
	unsigned char boundary; /* enum interp_boundary; 0: no plan */
	unsigned char link;
	/* In a frame, of which `size` bytes are read: offsets of code object, next frame, place, owner. */
	unsigned char size, code, next, place, owner;
	unsigned char owners;
	unsigned char tag;	  /* the low bits of the code's address that are no address */
	unsigned short code_data; /* offset in the code object of the first instruction, which is a unit of 2 bytes */
	unsigned char unused[2];
};
_Static_assert(sizeof(struct interp_plan) == 24, "as on the other side");

/* The array "interp_plans" has this many; a process has a number (bpf/unwind.h), 0: none. */
#define INTERP_PLANS 64
/* The number of a process with a runtime that has no plan. */
#define INTERP_UNKNOWN 0xffffffffU

/*
 * A frame of an interpreter is one number, too: the uppermost bit, which no module's number reaches; the address of the
 * code object divided by 8 (0: it could not be read); and the place in it, in units.
 */
#define INTERP_FRAME	    (1ULL << 63)
#define INTERP_PLACE_BITS   19
#define INTERP_PLACE_MASK   ((1ULL << INTERP_PLACE_BITS) - 1)
#define INTERP_CODE(frame)  (((frame) & ~INTERP_FRAME) >> INTERP_PLACE_BITS << 3)
#define INTERP_PLACE(frame) ((unsigned int)((frame)&INTERP_PLACE_MASK))
/* Places from here on are before the first instruction. */
#define INTERP_PLACE_BEFORE (INTERP_PLACE_MASK - 15)

#endif
