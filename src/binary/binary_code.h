/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a probe may be put in an ELF file: only where an instruction begins. A breakpoint anywhere else changes
 * what the program does. To be certain, code is decoded from the begin of the function, one instruction after the
 * other. A function that only a debug file names may be a lie: its places must also be confirmed by the file itself
 * (binary_confirm.c).
 *
 * The binary_check_*() functions return 0, or -errno with a reason in err that does not name the place: the caller
 * adds that. -EINVAL: not code. -EILSEQ: not the begin of a known instruction. -EOPNOTSUPP: the kernel would skip
 * the instruction (struct instruction). -EBADMSG, -E2BIG, -EIO: the function cannot be decoded.
 */
#ifndef SONDE_BINARY_BINARY_CODE_H
#define SONDE_BINARY_BINARY_CODE_H

#include "binary.h"
#include "instruction.h"

/* The entry of a function. Decodes only the instruction there; cheap for many functions in the order of the file. */
int binary_check_entry(struct binary *binary, const struct binary_symbol *function, struct err *err);
/* offset bytes into a function. -ERANGE: beyond its end. */
int binary_check_offset(struct binary *binary, const struct binary_symbol *function, uint64_t offset, struct err *err);
/* offset in the file. *function: the function that it is in, or NULL. -ENOENT: it is in none whose size is known. */
int binary_check_place(struct binary *binary, uint64_t offset, const struct binary_symbol **function, struct err *err);
/* offset in the file, where a note places a USDT probe. A nop is accepted at once: that is what <sys/sdt.h> emits. */
int binary_check_usdt(struct binary *binary, uint64_t offset, struct err *err);

/* How control leaves a function. */
enum binary_exit_kind {
	BINARY_EXIT_RETURN,   /* a return instruction */
	BINARY_EXIT_JUMP,     /* a direct jump to a place outside */
	BINARY_EXIT_INDIRECT, /* a jump whose target only the running program knows; it may lead inside as well */
};

struct binary_exit {
	enum binary_exit_kind kind;
	uint8_t condition;		    /* JUMP: taken only then, as of struct instruction; INSTRUCTION_NONE: always */
	bool maybe_inside;		    /* INDIRECT: it may be a switch */
	bool has_operand;		    /* INDIRECT: the operand says where it leads */
	struct instruction_operand operand; /* INDIRECT */
	uint64_t offset;		    /* in the file */
	uint64_t target;		    /* JUMP: address as linked */
};

/* The exits of a stretch of code, usually a function. */
struct binary_exits {
	uint64_t offset, vaddr, size;
	bool in_frame;	    /* as of struct binary_extent */
	bool debug;	    /* only a debug file says where it begins and ends */
	bool again;	    /* a jump leads back to its begin: an entry probe may hit more than once in a call */
	uint32_t followers; /* used by binary_ends.c alone: from how many functions it is followed */
	const char *why;    /* why the exits are not known, a constant: "it ..." without "it"; NULL: they are */
	vec(struct binary_exit);
};

/*
 * The exits of a function, or of the code that holds an address: decoded once, and owned by binary. Every instruction is
 * decoded from the begin, and every jump must lead to the begin of one of them. NULL: no memory, or nothing is known of
 * the begin and the end of code there.
 */
struct binary_exits *binary_exits_of(struct binary *binary, const struct binary_symbol *function);
struct binary_exits *binary_exits_at(struct binary *binary, uint64_t vaddr);

/* A jump may be judged that is so far into its code, in code of that size. */
#define BINARY_JUDGED_BITS 20
#define BINARY_JUDGED_MAX  (1 << BINARY_JUDGED_BITS)

/* How a place ends calls of a function. */
enum binary_end_kind {
	BINARY_END_RETURN,     /* the instruction returns, or leaves for a function that is not followed */
	BINARY_END_JUDGED,     /* if the jump leads outside, its operand says */
	BINARY_END_HANDS_OVER, /* ends no call: hands it over to another function, whose exits end it */
};

struct binary_end {
	enum binary_end_kind kind;
	bool handed;			    /* it ends only calls that were handed over */
	bool returns;			    /* the instruction returns: the registers hold the value */
	bool has_operand;		    /* the operand says where the jump leads */
	bool learns;			    /* set by users: the call goes on where the operand says, see attach_learn() */
	uint8_t condition;		    /* as of struct binary_exit */
	uint32_t size;			    /* JUDGED: of the code around it, in bytes, */
	uint32_t before;		    /* JUDGED: and how many of these are before the place */
	uint64_t offset;		    /* in the file */
	struct instruction_operand operand; /* of an instruction at the place, which may stand for that of a stub */
};

/* A stretch of code with one record in .eh_frame: a function, or the cold part of one. */
struct binary_extent {
	uint64_t vaddr, size; /* address as linked; bytes */
	/*
	 * It begins with a frame on the stack: it is a part of a function that other parts jump to, and no function by
	 * itself. So compilers move unlikely code out of the way.
	 */
	bool in_frame;
};
/* *extent: the one that the address is in, by .eh_frame_hdr. False: none is known. */
bool binary_unwind_extent(struct binary *binary, uint64_t vaddr, struct binary_extent *extent);

/* The function that a place in the file is in, by the symbols; NULL: none is known. */
const struct binary_symbol *binary_function_around(struct binary *binary, uint64_t offset);

/* Where calls of a function end. */
struct binary_ends {
	vec(struct binary_end);
	bool again;  /* an entry probe may hit more than once in a call */
	bool leaves; /* some end without a return instruction: what they return is not known there */
};

/*
 * Finds all places where calls of a function end. Followed are jumps into other functions of the file, whose exits end
 * the call, too. stubs: so are stubs of the PLT that lead to a function of the file itself; if a program has another
 * one of that name, the end is not seen. The caller frees ends->v. -ENOTSUP: a call may end in another way; err says
 * why. -ENODATA: it never returns.
 */
int binary_find_ends(struct binary *binary, const struct binary_symbol *function, bool stubs, struct binary_ends *ends,
		     struct err *err);

/*
 * The same for calls that were handed over to the code at an offset in the file, of which no symbol needs to be known:
 * its ends are `handed`.
 */
int binary_find_handed_ends(struct binary *binary, uint64_t offset, struct binary_ends *ends, struct err *err);

/*
 * Leaves the ends at which it is known what the call returns, and sets ends->leaves to whether others were there. learn:
 * jumps whose operand is known are left as well, and become `learns`. Returns whether any value can be known.
 */
bool binary_ends_keep_values(struct binary_ends *ends, bool learn);

/*
 * Finds the return instructions of a Go function, all of them, as exits without anything else. entry: where the entry
 * probe is, in bytes from the begin of the function. The caller frees ends->v. Errors as of binary_find_ends().
 */
int binary_find_go_returns(struct binary *binary, const struct binary_symbol *function, uint64_t entry,
			   struct binary_ends *ends, struct err *err);

/*
 * *entry: the place in a Go function that each call passes exactly once, in bytes from the begin of the function.
 * It is the instruction after the check for stack space: if there is too little, the runtime grows the stack and
 * starts the function again. 0 if the function has no such check. -EIO, -EOPNOTSUPP: no probe may be there; err
 * says why.
 */
int binary_go_entry(struct binary *binary, const struct binary_symbol *function, uint64_t *entry, struct err *err);
/* The addresses, as linked, between which all functions from Go's compiler and assembler are. -ENOENT: unknown. */
int binary_go_range(struct binary *binary, uint64_t *begin, uint64_t *end);

#endif
