/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One instruction of this machine: how long it is, and where the processor goes from it. x86-64's are decoded by Zydis;
 * arm64's are four bytes each, by the Arm Architecture Reference Manual (DDI 0487, C4.1, "Branches, exception
 * generating and system instructions"). Knows no file and no function.
 */
#ifndef SONDE_INSTRUCTION_H
#define SONDE_INSTRUCTION_H

#include "base/base.h"

#if defined(__x86_64__)
#define INSTRUCTION_ALIGN 1
#define INSTRUCTION_MAX	  15
#else
#define INSTRUCTION_ALIGN 4
#define INSTRUCTION_MAX	  4
#endif

enum instruction_kind {
	INSTRUCTION_OTHER, /* to the next */
	INSTRUCTION_NOP,
	INSTRUCTION_CALL,
	INSTRUCTION_RETURN,
	INSTRUCTION_JUMP,   /* to the target */
	INSTRUCTION_BRANCH, /* to the target or the next */
	INSTRUCTION_SWITCH, /* to one of the places in a table */
	INSTRUCTION_AWAY,   /* to what only the running program knows */
	INSTRUCTION_STOP,   /* nowhere: it traps */
};

struct instruction {
	enum instruction_kind kind;
	uint8_t length;
	/*
	 * Linux does not run it where a probe is on it, for it looks at the opcode alone (branch_setup_xol_ops() in
	 * arch/x86/kernel/uprobes.c): AVX's instructions whose opcode is that of a jump or a call, and xchg %r8, %rax, which is a
	 * nop but for its prefix. Seen on 6.18 and before.
	 */
	bool skipped;
	int64_t target; /* bytes from where the instruction begins */
};

/* What begins at code, of which n bytes are there. 0; -EILSEQ: no instruction that is known, or not the whole of one. */
int instruction_decode(const uint8_t *code, size_t n, struct instruction *instruction);

#endif
