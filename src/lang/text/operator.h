/* SPDX-License-Identifier: BSD-2-Clause */
/* Operators: how the binary ones are written and bind, and what they make of two constants. Knows no types. */
#ifndef SONDE_LANG_TEXT_OPERATOR_H
#define SONDE_LANG_TEXT_OPERATOR_H

#include "base/base.h"

enum ast_op {
	OP_NONE, /* of "=" */
	OP_ADD,
	OP_SUB,
	OP_MUL,
	OP_DIV,
	OP_MOD,
	OP_AND,
	OP_OR,
	OP_XOR,
	OP_SHL,
	OP_SHR,
	OP_EQ,
	OP_NE,
	OP_LT,
	OP_LE,
	OP_GT,
	OP_GE,
	OP_LOGIC_AND,
	OP_LOGIC_OR,
	/* unary */
	OP_NOT,	   /* ! */
	OP_INVERT, /* ~ */
	OP_NEGATE,
	OP_DEREF,
	OP_ADDRESS, /* &x */
};

struct binary_operator {
	const char *text;
	enum ast_op op;
	int precedence; /* as C's: from 1 on, the higher ones bind closer */
};
/* The binary operator that is written so; NULL: there is none. */
const struct binary_operator *operator_find(const char *text);

/*
 * What `a OP b` is in 64 bits, for binary operators. is_signed: how numbers are divided, compared, and shifted to the
 * right. x / 0 is 0 and x % 0 is x, as in BPF; the least number by -1 is itself; shifts look at 6 bits of b.
 */
int64_t operator_compute(enum ast_op op, int64_t a, int64_t b, bool is_signed);

#endif
