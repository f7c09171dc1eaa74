/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Within ir_fold(): what is known of a function's registers, and the steps, which are repeated while one changes
 * something.
 */
#ifndef SONDE_LANG_CODE_FOLD_PART_H
#define SONDE_LANG_CODE_FOLD_PART_H

#include "ir.h"

struct fold {
	struct ir_function *ir;
	/*
	 * For each register: how often it is assigned, by what if once (op IR_OPS: by a parameter), how often it is
	 * read.
	 */
	uint32_t *n_defined, *n_used;
	uint8_t *n_bits; /* how many of its lower bits are read at most: 8, 16, 32 by stores, else 64 */
	struct ir_insn *by;
	/* For each block: how many blocks lead to it, and one of them. */
	uint32_t *n_before, *before;
	bool changed;
};

/* What assigns a register, if one instruction does; NULL: several do, or it is a parameter. */
const struct ir_insn *fold_origin(const struct fold *fold, const struct ir_value *value);

/* Replaces copies by what they are copies of, and calculates what is known. */
void fold_values(struct fold *fold);
/* The same value is made once: calls without effects, and reads of the context. */
void fold_common(struct fold *fold);
/* Goes past blocks that only jump, joins blocks that follow each other, empties those that nothing leads to. */
void fold_blocks(struct fold *fold);

/* Reads the program's arguments where it asks the library for them. Behind it they are assigned several times. */
void ir_inline_arguments(struct ir_program *program);

/* What an operation makes of two constants. */
bool fold_holds(const struct ir_insn *insn, uint64_t a, uint64_t b);
/* Replaces an operation by a simpler one with the same result. False: there is none. */
bool fold_simplify(const struct fold *fold, struct ir_insn *insn);

#endif
