/* SPDX-License-Identifier: BSD-2-Clause */
/* From three-address code to instructions: liveness, linear scan over r0 to r9 with spilling to the stack, encoding. */
#ifndef SONDE_LANG_CODE_EMIT_H
#define SONDE_LANG_CODE_EMIT_H

#include "code.h"
#include "ir.h"

/*
 * Fills code. *stack: the bytes of stack of its own functions together. -E2BIG with err: more than LANG_STACK_MAX bytes
 * of stack (LANG_STACK_UNWIND with user stacks), or 1,000,000 instructions.
 */
int lang_emit(const struct ir_program *program, struct lang_code *code, uint32_t *stack, struct err *err);
void lang_code_release(struct lang_code *code);

#endif
