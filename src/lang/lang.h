/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The compiler of the language: text in, struct lang_program out. It loads and prints nothing. Each stage is a file or
 * some: parse.h, check.h, lower.h, ir.h, emit.h.
 */
#ifndef SONDE_LANG_LANG_H
#define SONDE_LANG_LANG_H

#include "lang/program/options.h"
#include "lang/program/program.h"

/*
 * Compiles the text (name: "stdin" for -e). Always returns a program, which the caller frees: if
 * program->messages.errors is not 0, only messages and sources are of use.
 */
struct lang_program *lang_compile(const char *name, const char *text, size_t len, const struct lang_options *options);
/* Compiles a text that is in program->sources already. */
void lang_compile_source(struct lang_program *program, uint32_t source, const struct lang_options *options);
void lang_program_free(struct lang_program *program);

#endif
