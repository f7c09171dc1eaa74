/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unwinding: a table of rows (page of text, place in the page, rule) says how to find the frame of the caller.
 * Shared by both sides: src/unwind/ makes the rows from the .eh_frame of a file, BPF programs search them.
 *
 * A rule computes three things from the registers of a frame: the CFA (the value of the stack pointer before the
 * call), the caller's frame pointer, and the address to which the frame returns. Registers have the names that all
 * architectures share: SP, FP (rbp, x29), LR (x30; x86-64 has none). The caller's SP is the CFA.
 */
#ifndef SONDE_UNWIND_H
#define SONDE_UNWIND_H

enum unwind_cfa {
	UNWIND_CFA_NONE,     /* .eh_frame does not cover this place */
	UNWIND_CFA_UNKNOWN,  /* it does, but no rule can express it */
	UNWIND_CFA_ROOT,     /* there is no caller */
	UNWIND_CFA_SP,	     /* SP + offset */
	UNWIND_CFA_FP,	     /* FP + offset */
	UNWIND_CFA_PLT,	     /* SP + offset, and 8 more at and after byte `add` of each 16 bytes of text */
	UNWIND_CFA_SP_DEREF, /* the word at SP + offset, + add */
	UNWIND_CFA_FP_DEREF, /* the word at FP + offset, + add */
};

/* Where the caller's value of a register is. */
enum unwind_saved {
	UNWIND_SAME,   /* still in the register; for the return address: in LR */
	UNWIND_AT_CFA, /* in memory at the CFA + 8 * offset */
	UNWIND_AT_SP,
	UNWIND_AT_FP,
	UNWIND_LOST, /* unknown: the caller can be found, but not a frame that needs this register */
};

struct unwind_rule {
	int offset;		    /* of the CFA */
	short fp_offset, ra_offset; /* in words of 8 bytes: arm64 saves both below all that a function keeps on the stack */
	unsigned char cfa, fp, ra;  /* enum unwind_cfa, unwind_saved, unwind_saved */
	unsigned char add;
};
_Static_assert(sizeof(struct unwind_rule) == 12, "as on the other side");

/* A row holds from byte `place` of a page of text to the next row. */
struct unwind_row {
	unsigned short place;
	unsigned short rule; /* its number */
};
_Static_assert(sizeof(struct unwind_row) == 4, "as on the other side");

/* Text is divided by its offset in the file. Every page that has a row has one at place 0. */
#define UNWIND_PAGE_SHIFT 16

/* Numbers of rules that every set of rules has. */
enum unwind_rule_number {
	UNWIND_RULE_NONE,
	UNWIND_RULE_UNKNOWN,
	UNWIND_RULE_ROOT,
	UNWIND_RULES_FIXED,
};

#endif
