/* SPDX-License-Identifier: BSD-2-Clause */
/* What the compiler makes at each stage, as text: for tests that compare it, or print it when they fail. */
#ifndef SONDE_TESTS_LANG_SHOW_H
#define SONDE_TESTS_LANG_SHOW_H

#include "lang/code/emit.h"
#include "lang/tree/parse.h"

/* The tree as an S-expression, with types once they are known. */
void ast_show(const struct ast_program *program, struct str *to);
/* Three-address code. */
void ir_show(const struct ir_program *program, struct str *to);
/* NULL, or what is wrong with it: a block without an end, a register that is never assigned ... */
const char *ir_check(const struct ir_program *program);
/* Instructions, one a line, as bpftool prints them. */
void lang_code_show(const struct lang_code *code, struct str *to);

#endif
