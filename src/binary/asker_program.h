/* SPDX-License-Identifier: BSD-2-Clause */
/* Within binary/: the ELF file that asker.c executes. */
#ifndef SONDE_ASKER_PROGRAM_H
#define SONDE_ASKER_PROGRAM_H

#include "base/str.h"
#include "bound.h"

#if defined(__x86_64__)
#define ASKER_LOADER "/lib64/ld-linux-x86-64.so.2"
#else
#define ASKER_LOADER "/lib/ld-linux-aarch64.so.1"
#endif

/*
 * A program that is linked to the library at path, has a table of what the names of bound->v are bound to at the address
 * *table, writes one byte to its standard output when it begins, and then waits.
 */
void asker_program(struct str *file, uint64_t *table, const char *path, const struct bound *bound);

#endif
