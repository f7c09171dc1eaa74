/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tables of V8, as arrays of bytes: from places in code to places in the source. What they say is foreign; damaged ones
 * have no places. Numbers in them have seven bits in a byte, the lowest first; the uppermost bit says that more follow.
 * (src/codegen/source-position-table.h, src/baseline/bytecode-offset-iterator.h in V8's source.)
 */
#ifndef SONDE_INTERP_V8_TABLES_H
#define SONDE_INTERP_V8_TABLES_H

#include "base/base.h"

/* A place in the source: of code that was inlined, with the number of the call; else -1. */
struct v8_place {
	int position, inlined; /* position: in the text of the script; -1: not known */
};

/* The place of the last entry at or before an offset in bytecode, or in compiled code. False: there is none. */
bool v8_tables_place(const uint8_t *table, size_t n, uint32_t offset, struct v8_place *place);

/*
 * The offset of the bytecode that an offset in the code of the baseline compiler belongs to. sizes: for each bytecode a
 * character, 'A' + its operand bytes that grow with a prefix, + 8 for each byte that does not. -1: it belongs to none.
 */
int v8_tables_bytecode(const uint8_t *table, size_t n, const uint8_t *bytecode, size_t n_bytecode, const char *sizes,
		       uint32_t offset);

/* The call with a number that was inlined: where it is, and the number of its function. False: there is none. */
bool v8_tables_inlined(const uint8_t *table, size_t n, int number, struct v8_place *call, int *function);

/* A function that optimized code stands for at a call. */
struct v8_translated {
	int literal; /* the number of the function among the code's literals */
	int offset;  /* in its bytecode */
};
/*
 * Fills in the functions of a translation, which begins at an index, the outermost first: at most `max`. opcodes: for each a
 * character, the number of its operands; B, b: it begins a translation, which can and cannot repeat parts of another; R, F, in
 * V8 13 S, G: it is a frame of a function, with and without a place for what it returns; c, i, o, w: other frames; x: it is none; the last one
 * repeats what the translation before had. Returns how many; 0: the table is damaged, or there are more.
 */
size_t v8_tables_translation(const uint8_t *table, size_t n, const char *opcodes, int index,
			     struct v8_translated *functions, size_t max);

#endif
