/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes one instruction of this machine: its length, and where execution goes from it. x86-64: by Zydis. arm64: four
 * bytes each, by the Arm Architecture Reference Manual (DDI 0487, C4.1, "Branches, exception generating and system
 * instructions"). Knows no file and no function.
 */
#ifndef SONDE_BINARY_INSTRUCTION_H
#define SONDE_BINARY_INSTRUCTION_H

#include "base/base.h"

#if defined(__x86_64__)
#define INSTRUCTION_ALIGN 1
#define INSTRUCTION_MAX	  15
#else
#define INSTRUCTION_ALIGN 4
#define INSTRUCTION_MAX	  4
#endif

/* Where execution goes from an instruction. */
enum instruction_kind {
	INSTRUCTION_OTHER, /* to the next instruction */
	INSTRUCTION_NOP,
	INSTRUCTION_CALL,
	INSTRUCTION_RETURN,
	INSTRUCTION_JUMP,   /* to the target */
	INSTRUCTION_BRANCH, /* to the target or the next instruction */
	INSTRUCTION_SWITCH, /* to an address in a table */
	INSTRUCTION_AWAY,   /* to an address that only the running program knows */
	INSTRUCTION_STOP,   /* nowhere: it traps */
};

/*
 * What Linux does with an instruction that has a uprobe. On x86 (arch/x86/kernel/uprobes.c) it decides by the opcode byte
 * alone, and takes AVX instructions for what has the same byte without AVX; seen on 6.18 and earlier. On arm64
 * (arch/arm64/kernel/probes/) by the whole word.
 */
enum instruction_uprobe {
	INSTRUCTION_RUNS,
	INSTRUCTION_SKIPPED, /* taken for a jump, a call or a nop, as also xchg %r8, %rax */
	INSTRUCTION_STRANDS, /* leaves the program where the kernel ran a copy of it, or in single steps: it dies */
	INSTRUCTION_UNSEEN,  /* taken for one that cannot be probed: gets no breakpoint, and nobody is told */
};

/* No register, and no condition that the flags alone decide. */
#define INSTRUCTION_NONE 0xff
/* As a base: the begin of the instruction itself. */
#define INSTRUCTION_ITSELF 0xfe

/* Where an indirect jump finds its target: in a register, or in memory at base + index * scale + displacement. */
struct instruction_operand {
	uint8_t reg; /* by its number in instructions; INSTRUCTION_NONE: in memory */
	uint8_t base, index, scale;
	int32_t displacement;
};

struct instruction {
	enum instruction_kind kind;
	uint8_t length;	   /* in bytes */
	uint8_t condition; /* of BRANCH on x86: the low four bits of its opcode, or INSTRUCTION_NONE */
	enum instruction_uprobe uprobe;
	int64_t target; /* of JUMP and BRANCH: bytes from the begin of the instruction */
	/* Of SWITCH and AWAY, if `indirect`. Without: the target is beyond what the operand can say. */
	struct instruction_operand operand;
	bool indirect;
	/*
	 * arm64: an exclusive load, or what ends it. A trap in between ends it, too: then the store fails, and the program
	 * tries again for ever.
	 */
	bool claims, releases;
};

/* Decodes the instruction at code, where n bytes may be read. -EILSEQ: unknown, or longer than n bytes. */
int instruction_decode(const uint8_t *code, size_t n, struct instruction *instruction);

/* What an instruction does to a register. */
enum instruction_write {
	INSTRUCTION_KEEPS,
	INSTRUCTION_ADDS, /* the register becomes a sum: of the place of a table and an offset in it */
	INSTRUCTION_WRITES,
};
/* The same for one register, by its number. What cannot be decoded writes it. */
enum instruction_write instruction_writes(const uint8_t *code, size_t n, uint8_t reg);

#endif
