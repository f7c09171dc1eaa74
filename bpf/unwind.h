/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How the frame of a caller is found from that of the function it called, by a table of rows (page of text, place in it,
 * rule). Shared by both sides: src/unwind/ makes the rows of a file's .eh_frame, BPF programs look them up.
 *
 * A rule computes three things from the registers of a frame: the CFA (the value of the stack pointer before the call), the
 * caller's frame pointer, and the address to which the frame returns. Registers have the names that all architectures share:
 * SP, FP (rbp, x29), LR (x30; x86-64 has none). The caller's SP is the CFA.
 */
#ifndef SONDE_UNWIND_H
#define SONDE_UNWIND_H

enum unwind_cfa {
	UNWIND_CFA_NONE,     /* the file says nothing of this place */
	UNWIND_CFA_UNKNOWN,  /* it does, in a form that no rule has */
	UNWIND_CFA_ROOT,     /* there is no caller */
	UNWIND_CFA_SP,	     /* SP + offset */
	UNWIND_CFA_FP,	     /* FP + offset */
	UNWIND_CFA_PLT,	     /* SP + offset, and 8 more from byte `add` of each 16 bytes of text on */
	UNWIND_CFA_SP_DEREF, /* what is stored at SP + offset, + add */
	UNWIND_CFA_FP_DEREF, /* what is stored at FP + offset, + add */
};

/* Where the value of a register is that the caller had. */
enum unwind_saved {
	UNWIND_SAME,   /* still in the register; of the return address: in LR */
	UNWIND_AT_CFA, /* in memory at the CFA + 8 * offset */
	UNWIND_AT_SP,
	UNWIND_AT_FP,
	UNWIND_LOST, /* not known: the caller can be found, but no frame that needs this register */
};

struct unwind_rule {
	int offset;		    /* of the CFA */
	short fp_offset, ra_offset; /* in words of 8 bytes: arm64 saves both below all that a function keeps on the stack */
	unsigned char cfa, fp, ra;  /* enum unwind_cfa, unwind_saved, unwind_saved */
	unsigned char add;
};

/* From byte `place` of a page of text on, to the next row. */
struct unwind_row {
	unsigned short place;
	unsigned short rule; /* its number */
};

/* Text is divided by its offset in the file. Every page that has a row has one at place 0. */
#define UNWIND_PAGE_SHIFT 16

/* Rules that every set of rules has, by these numbers. */
enum unwind_rule_number {
	UNWIND_RULE_NONE,
	UNWIND_RULE_UNKNOWN,
	UNWIND_RULE_ROOT,
	UNWIND_RULES_FIXED,
};

#endif
