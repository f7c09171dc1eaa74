/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A function of three-address code in the form that has an instruction for each operation: what BPF cannot do is
 * expanded, constants that do not fit into an instruction are in registers, signed loads and divisions are several
 * operations. Addresses and constants that are assigned once are never kept in a register for long: they are made where
 * they are used.
 */
#ifndef SONDE_LANG_CODE_LEGAL_H
#define SONDE_LANG_CODE_LEGAL_H

#include "ir.h"

struct legal {
	struct ir_function ir; /* a copy */
	/*
	 * For each register: how its value is made, if one IR_CONST, IR_OBJECT, IR_MAP, IR_DATA, IR_RING or IR_FUNCTION
	 * makes it; else op is IR_OPS. Nothing assigns these registers any more. They are left only as arguments of
	 * calls, as what a function returns, and objects as addresses of loads and stores.
	 */
	struct ir_insn *origins;
	uint32_t n_origins; /* registers from here on have none */
	uint32_t context;   /* the register of ctx, IR_NONE: the function has none */
	/* The blocks that can be reached, in the order in which they are laid out; cold ones last. */
	uint32_t *order;
	uint32_t n_order;
};

void legal_make(const struct ir_program *program, uint32_t function, struct legal *legal);
void legal_release(struct legal *legal);
/* How a register's value is made; NULL: it is kept in a machine register or on the stack. */
const struct ir_insn *legal_origin(const struct legal *legal, uint32_t reg);
/* Whether the operands of an operation can change places. */
bool legal_commutes(enum ir_op op);

#endif
