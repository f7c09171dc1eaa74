/* SPDX-License-Identifier: BSD-2-Clause */
/* Within the emitter: the state of a function, and how its operations become instructions. */
#ifndef SONDE_LANG_CODE_EMIT_PART_H
#define SONDE_LANG_CODE_EMIT_PART_H

#include "emit.h"
#include "regalloc.h"

struct jump {
	uint32_t insn, block;
};

struct emitter {
	struct lang_code *code;
	const uint32_t *numbers; /* of functions, in the code; IR_NONE: it is left out */
	struct legal legal;
	struct regalloc regs;
	int32_t *object_at; /* by number, from r10 */
	uint32_t frame;	    /* bytes of stack */
	uint32_t *block_at; /* by number: the index of the first instruction */
	struct span at;
	vec(struct jump) jumps;
};

/* Adds the instructions of an operation. next: the block that is laid out behind this one; IR_NONE: none. */
void emitter_add(struct emitter *e, const struct ir_insn *insn, uint32_t next);
/* Adds the moves of parameters from r1 to r5 to their places. */
void emitter_add_entry(struct emitter *e);

#endif
