/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Gives each register of a legal function a machine register or a place on the stack. Values that are used most for the
 * time that they are live choose first; what finds no free register is spilled.
 */
#ifndef SONDE_LANG_CODE_REGALLOC_H
#define SONDE_LANG_CODE_REGALLOC_H

#include "legal.h"

#define REGALLOC_REGS 10 /* r0 to r9 */

struct regalloc {
	struct regalloc_place {
		int8_t reg;	 /* the machine register; -1: none */
		bool is_spilled; /* it is on the stack, in `slot` */
		bool is_entered; /* a parameter that is read before it is assigned */
		uint32_t slot;	 /* number of 8 bytes */
	} * places;		 /* one for each register */
	uint32_t n_slots;
};

/*
 * Changes the function: reading and writing of spilled registers become IR_MOVE from and to them. They are left as
 * operands of IR_MOVE, as arguments and results of calls, and as what a function returns.
 */
void regalloc_make(struct legal *legal, struct regalloc *regalloc);
void regalloc_release(struct regalloc *regalloc);

#endif
