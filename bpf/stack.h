/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stacks as BPF programs send them: each distinct stack once, with an id; samples and counts refer to it by the id.
 * Shared by both sides.
 */
#ifndef SONDE_BPF_STACK_H
#define SONDE_BPF_STACK_H

/* The most frames of the user part and of the kernel part; --depth lowers it. The kernel's own limit is the same. */
#define STACK_DEPTH 127

/*
 * A user frame is one number: a module number (a file that processes map, unwind/unwind.h) in the upper 16 bits, of
 * which the uppermost stands for frames of interpreters (bpf/interp.h), and the offset in the file below. Module 0: no
 * file; the rest is the address in the process. A frame that was entered by
 * a call has the address of the call's last byte (the return address - 1), so that it belongs to the function and line
 * that called. A kernel frame is an address as bpf_get_stack() gives it.
 */
#define STACK_MODULE_SHIFT 48
#define STACK_MODULES_MAX  32766
#define STACK_OFFSET_MASK  ((1ULL << STACK_MODULE_SHIFT) - 1)

/* Why the user part of a stack ends where it does. */
enum stack_end {
	STACK_END_ROOT,	      /* complete: the first function of the thread */
	STACK_END_NO_USER,    /* a kernel thread, or user frames were not wanted */
	STACK_END_PROCESS,    /* the process's mappings are not known (yet) */
	STACK_END_MAPPING,    /* the address is in no known mapping, and the frame pointer does not lead on */
	STACK_END_NO_FDE,     /* .eh_frame does not cover the place, and the frame pointer does not lead on */
	STACK_END_EXPRESSION, /* a rule that cannot be expressed (bpf/unwind.h) */
	STACK_END_MEMORY,     /* a page of the stack is not in memory */
	STACK_END_DEPTH,      /* more frames than STACK_DEPTH or --depth */
	STACK_END_DAMAGED,    /* the next frame would not lie above this one */
	STACK_ENDS,
};

enum stack_flag {
	STACK_FRAME_POINTER = 1, /* at least one frame was found by the frame pointer, for want of a table */
	STACK_PARTIAL = 2,	 /* the same, because the process or the file was not known yet: frames may be missing */
	STACK_32BIT = 4,	 /* of a 32-bit process: found by frame pointers */
	/* The process has an interpreter whose frames cannot be found. */
	STACK_UNKNOWN_RUNTIME = 8,
	/* Frames of the interpreter stand behind the native ones: their places were not found. */
	STACK_INTERP_LOOSE = 16,
	/* The kernel part has no frames of what runs our program: it begins where the registers say, or behind them. */
	STACK_NO_OWN = 32,
};

/* A record in the ring buffer "stacks": the frames of one distinct stack, the innermost first. */
struct stack_record {
	unsigned long long id; /* a hash of all that follows, with STACK_ID_FRAMES(); never 0 */
	unsigned int pid;      /* the process (host's tgid) if a frame is in no file, or an interpreter's; else 0 */
	unsigned short n_user, n_kernel;
	unsigned char end, flags; /* enum stack_end, enum stack_flag */
	unsigned char unused[6];
	unsigned long long frames[]; /* n_user user frames, then n_kernel kernel frames */
};
_Static_assert(sizeof(struct stack_record) == 24, "as on the other side");

/*
 * How many frames a stack has is in the upper bits of its id, so that a program knows it of a stack that it has kept:
 * STACK_DEPTH stands for more. An id of 0, no stack, has none.
 */
#define STACK_FRAMES_SHIFT  57
#define STACK_ID_FRAMES(ID) ((ID) >> STACK_FRAMES_SHIFT)

/*
 * The array "stack_slots", in which programs unwind, has this many elements for each possible processor; user space
 * sizes it. More than one is needed where programs interrupt or preempt each other.
 */
#define STACK_SLOTS 4

/*
 * Code of the kernel that a stack can begin with because it runs our program: from is its first address, to the one
 * behind it. The stack is that of the caller. A program looks at the innermost STACK_OWN_FRAMES.
 */
struct stack_own {
	unsigned long long from, to;
};
_Static_assert(sizeof(struct stack_own) == 16, "as on the other side");
#define STACK_OWN_MAX	 32
#define STACK_OWN_FRAMES 12

/* What ends the own frames, for stacks of the kernel with a limit: */
#define STACK_OWN_NAMED 0 /* the last one that .rodata.stack names */
#define STACK_OWN_CODE	1 /* a trampoline of an unknown function: what is not the kernel's own code */
/* larger: a trampoline of the function at this address */

/* Set by user space before the load: .rodata.stack. */
struct stack_setup {
	unsigned char user, kernel; /* the most frames of each part, STACK_DEPTH at most; 0: the part is not wanted */
	unsigned char tables;	    /* callers are found by tables */
	unsigned char pointers;	    /* callers are found by frame pointers, where there is no table */
	unsigned char native;	    /* frames of an interpreter's own code are shown, too */
	unsigned char interpreted;  /* frames of interpreters are shown */
	unsigned char func_ip;	    /* 1: the kernel says which function a trampoline is of (5.15) */
	unsigned char page_shift;   /* a page has 1 << page_shift bytes */
	/* The pid namespace of the process ids in "unwind_spaces"; 0: the host's. dev is as the kernel has it. */
	unsigned long long pidns_dev, pidns_ino;
	/* For stacks with a limit, in which own frames do not count: */
	struct stack_own text;		     /* the kernel's own code; all 0: not known */
	struct stack_own own[STACK_OWN_MAX]; /* all 0: the end */
};
_Static_assert(sizeof(struct stack_setup) == 40 + 16 * STACK_OWN_MAX, "as on the other side");

/* Keys of the per-processor array "stack_losses". */
enum stack_loss {
	STACK_LOST_BUSY,   /* no scratch memory was free: too many programs interrupted each other */
	STACK_LOST_BUFFER, /* no room for the frames in the ring buffer; they are sent again with the next hit */
	STACK_LOST_COUNT,  /* no room in the map of counts */
	STACK_LOSSES,
};

/* What counting tools count by: the key of the hash "stack_counts". Members that a tool does not use are 0. */
struct stack_key {
	unsigned long long stack, other; /* ids, 0: none; other: the waker's */
	unsigned int pid, tid;		 /* ids of the host; 0: all together */
	unsigned int other_pid, slot;
	char comm[16], other_comm[16];
};
_Static_assert(sizeof(struct stack_key) == 64, "as on the other side");

struct stack_count {
	unsigned long long count, ns; /* hits; the sum of their times */
};
_Static_assert(sizeof(struct stack_count) == 16, "as on the other side");

#endif
