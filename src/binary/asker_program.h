/* SPDX-License-Identifier: BSD-2-Clause */
/* For asker.c: writes the ELF file of the asker. */
#ifndef SONDE_BINARY_ASKER_PROGRAM_H
#define SONDE_BINARY_ASKER_PROGRAM_H

#include "base/str.h"
#include "bound.h"

#if defined(__x86_64__)
#define ASKER_LOADER "/lib64/ld-linux-x86-64.so.2"
#else
#define ASKER_LOADER "/lib/ld-linux-aarch64.so.1"
#endif

/*
 * Appends to file (empty, the caller's) a program that is linked to the library at path. The loader writes into the
 * program's table, at address *table, what each name of bound->v is bound to: 8 bytes each. The program then writes one
 * byte to its standard output and waits to be killed.
 */
void asker_program(struct str *file, uint64_t *table, const char *path, const struct bound *bound);

#endif
