/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frames of interpreters: a plan says where a runtime keeps the list of frames of a thread, and what a frame looks
 * like. Shared by both sides: src/interp/ makes plans, the walk of bpf/interp.bpf.h follows them.
 *
 * From the thread pointer of the task to the first frame:
 *	key = *(u32 *)(runtime + plan.key)			the runtime's pthread key
 *	state = *(TP + space.keys + key * 16 + 8)		what the thread has stored for it (bpf/unwind.h)
 *	frame = *(*(state + plan.deref[0]) + plan.deref[1])	as many as plan.n_deref
 * With plan.tls, where dynamic linking has what __tls_get_addr() is told (glibc's dtv):
 *	{ module, offset } = *(runtime + plan.key)
 *	state = *(*(*(TP + 8) + module * 16) + offset)
 * On arm64 it has put a descriptor there, whose argument is the variable's distance, or leads to the two:
 *	{ function, argument } = *(runtime + plan.key)
 *	state = *(TP + argument), or { module, offset } = *argument
 *	state = *(*(*TP + module * 16) + offset)
 * With neither the runtime has one thread:
 *	frame = *(runtime + plan.key)
 *
 * Native frames and those of the list are merged run by run: each run of interpreted frames belongs to one native frame,
 * of the function that executes them. Either an object on the native stack says to which, or that function's code.
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
	/*
	 * The run ends with a frame that has a bit of `owners` in its byte `owner`, unless its function is internal. It
	 * belongs to the native frame whose code is the loop. A frame without a function is none. The place is the line,
	 * which the instruction has at `code_data`.
	 */
	INTERP_LOOP,
	/*
	 * As INTERP_LOOP, and the frames lie one behind the other, `next` bytes each. The word `owner` points to the last of
	 * three: what is executed if it is internal, one of no interest, and flags. These have a bit of `owners` if the run
	 * ends, and in `kinds` they say that the function is `internal`, or that the list ends there. The place is the
	 * address of the instruction, in words; 0: the frame has no function.
	 */
	INTERP_ARRAY,
	/*
	 * As INTERP_LOOP, and each frame is a run of its own. The place is a number of 32 bits: with `code_data` 1 of bytes, with
	 * 0 of units. What the loop executes for `prologue` bytes from `entry` on is before its frame is in the list.
	 */
	INTERP_EACH,
	/*
	 * There is no list. Native frames are followed by their frame pointer, and those without a table may be of a
	 * function: then words below the frame pointer say which (struct interp_note). Its description has the offset
	 * `code` in the function.
	 */
	INTERP_NOTES,
	/*
	 * There is no list. Native frames without a file may be of HotSpot, whose interpreter has frame pointers, and whose
	 * pieces of code have heads that say how large their frames are (struct interp_java).
	 */
	INTERP_BLOBS,
};

/* With INTERP_NOTES: what is below the frame pointer of a function. Pointers to objects have 1 in their two low bits. */
struct interp_note {
	unsigned long long offset; /* in the function's bytecode, in the upper half; 0 in the lower: it is interpreted */
	unsigned long long bytecode, unused, function, context;
};
_Static_assert(sizeof(struct interp_note) == 40, "as on the other side");

/* With INTERP_LOOP a function begins so. */
struct interp_function {
	unsigned char kind; /* odd: internal, it has no instructions */
	unsigned char unused[3];
	unsigned int flags;
	unsigned long long name; /* 0: it is all the code of a file */
};
_Static_assert(sizeof(struct interp_function) == 16, "as on the other side");

/*
 * The loop's code, from the runtime's state: `size` bytes from `begin`, but for `gap_size` from `gap`, where other code
 * lies between its parts. With INTERP_NOTES both are offsets in the file, and from `gap` on is code that the loop jumps
 * to, in the loop's frame.
 */
struct interp_loop {
	int begin, gap;
	unsigned int size, gap_size;
};
_Static_assert(sizeof(struct interp_loop) == 16, "as on the other side");

/* With INTERP_BLOBS. Where HotSpot has what: */
struct interp_java {
	/* From the runtime's state: the bounds of all code, its heaps, the interpreter, to where Java returns from C's calls. */
	int low, high, heaps, interpreter, call_stub;
	unsigned short array_length, array_data;		       /* of a growable array */
	unsigned short heap_low, heap_high, heap_segments, heap_shift; /* of a heap, of which heap_size bytes are read */
	unsigned short heap_size;
	unsigned short queue_begin, queue_size; /* of the interpreter's code */
	/* Behind the block's: of the head of a piece of code, of which head_size bytes are read. */
	unsigned short block_size, head_size, name, frame_size, code_at, complete, number;
	unsigned short is_short;		 /* code_at is an offset, and complete has 2 bytes; else an address, and 4 */
	unsigned short method_const, code_begin; /* of a method, and of what of it does not change */
	unsigned short unused;
};
_Static_assert(sizeof(struct interp_java) == 60, "as on the other side");

struct interp_plan {
	unsigned int key;	 /* offset of the key in the runtime's state */
	unsigned short by_key;	 /* a boolean */
	unsigned short deref[2]; /* offsets on the way from the thread's state to its first frame */
	unsigned char n_deref;
	unsigned char boundary; /* enum interp_boundary; 0: no plan */
	unsigned char link;
	/* In a frame, of which `size` bytes are read: offsets of code object, next frame, place, owner. */
	unsigned char size, code, next, place, owner;
	unsigned char owners;
	unsigned char tag; /* the low bits of the code's address that are no address */
	/* Offset in the code object of the first instruction, which is a unit of 2 bytes. */
	unsigned short code_data;
	/*
	 * With INTERP_LOOP: the words of the kernel's pt_regs in which the loop has the address of the first frame, and its
	 * place, which the frame itself has only before calls. Equal: in none. With INTERP_NOTES of the bytecode, and of the
	 * offset in it.
	 */
	unsigned char frame_register, place_register;
	/* With INTERP_LOOP. In a function: offsets of its file's name, its instructions, and how many these are. */
	unsigned char file, instructions, n_instructions, instruction_size;
	unsigned int closure, closures;	   /* its flags `closures` are `closure`: it is one */
	unsigned int kinds, internal, end; /* with INTERP_ARRAY */
	unsigned int tls;		   /* a boolean */
	struct interp_loop loop;
	int entry; /* with INTERP_EACH; from the runtime's state */
	unsigned int prologue;
	struct interp_java java;
};
_Static_assert(sizeof(struct interp_plan) == 136, "as on the other side");

/* The array "interp_plans" has this many; a process has a number (bpf/unwind.h), 0: none. */
#define INTERP_PLANS 256
/* The number of a process with a runtime that has no plan. */
#define INTERP_UNKNOWN 0xffffffffU

/*
 * A frame of an interpreter is one number, too: the uppermost bit, which no module's number reaches; the address of the
 * code object divided by 8 (0: it could not be read); and the place in it, in units. Processes have addresses of 47 bits
 * on x86-64, and of 48 on arm64, where places have a bit less.
 */
#define INTERP_FRAME (1ULL << 63)
#if defined(__aarch64__) || defined(__TARGET_ARCH_arm64)
#define INTERP_ADDRESS_BITS 48
#else
#define INTERP_ADDRESS_BITS 47
#endif
#define INTERP_PLACE_BITS   (63 + 3 - INTERP_ADDRESS_BITS)
#define INTERP_PLACE_MASK   ((1ULL << INTERP_PLACE_BITS) - 1)
#define INTERP_CODE(frame)  (((frame) & ~INTERP_FRAME) >> INTERP_PLACE_BITS << 3)
#define INTERP_PLACE(frame) ((unsigned int)((frame)&INTERP_PLACE_MASK))
/* Places from here on are before the first instruction. */
#define INTERP_PLACE_BEFORE (INTERP_PLACE_MASK - 15)

/*
 * With INTERP_LOOP the place is the line (0: none), and above it stands what the address is of. Closures and the code of
 * files are freed while others run, so the address of their file's name, which stays, stands for them.
 */
enum interp_of {
	INTERP_OF_FUNCTION,
	INTERP_OF_CLOSURE,
	INTERP_OF_FILE,
};
#define INTERP_LINE_BITS (INTERP_PLACE_BITS - 2)
#define INTERP_LINE_MASK ((1U << INTERP_LINE_BITS) - 1)
#define INTERP_OF(frame) (INTERP_PLACE(frame) >> INTERP_LINE_BITS)

/*
 * With INTERP_NOTES the place is the offset in the bytecode, as the frame has it, or one of these. Code that a compiler
 * made is a frame in no file, which stands before that of the function.
 */
#define INTERP_PLACE_BY_CODE INTERP_PLACE_MASK	     /* the frame before says it */
#define INTERP_PLACE_MAYBE   (INTERP_PLACE_MASK - 1) /* so it does if its code is of the function; else it is no frame */
#define INTERP_PLACE_UNKNOWN (INTERP_PLACE_MASK - 2)

/*
 * With INTERP_BLOBS a frame of the interpreter has the address of the method, and the offset in its bytecode. One of
 * compiled code has the offset of the address to return to (JAVA_EXACT: of the place) from the head of the code, and for
 * an address that of the head from the begin of all code, with the lower half of the code's number above it.
 */
#define JAVA_COMPILED	  (1U << (INTERP_PLACE_BITS - 1))
#define JAVA_EXACT	  (JAVA_COMPILED >> 1)
#define JAVA_OFFSET_MAX	  (JAVA_EXACT - 1) /* offsets from here on are not known */
#define JAVA_NUMBER_SHIFT 28
#define JAVA_BCI_MAX	  0xfffe
#define JAVA_BCI_NONE	  (JAVA_EXACT - 1) /* the method is native, or has no place */

#endif
