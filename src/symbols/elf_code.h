/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a probe may be put into an ELF file: only where an instruction begins. A breakpoint anywhere else changes what the
 * program does. What is certain is found from a function's begin, one instruction after the other.
 * Each gives 0, or an error whose text says why not, and no more: what may not be, its caller knows.
 */
#ifndef SONDE_ELF_CODE_H
#define SONDE_ELF_CODE_H

#include "elf.h"

/* A function's first instruction. Reads no code where the table says how long the function is. */
int elf_check_entry(struct elf *elf, const struct elf_symbol *function, struct err *err);
/* An offset within a function. -ERANGE: beyond its end. */
int elf_check_offset(struct elf *elf, const struct elf_symbol *function, uint64_t offset, struct err *err);
/* A place in the file, within whichever function it is: *function, of which there need be no more than one. */
int elf_check_place(struct elf *elf, uint64_t offset, const struct elf_symbol **function, struct err *err);
/* A place in the file where a USDT mark is said to be, which is mostly a nop. */
int elf_check_mark(struct elf *elf, uint64_t offset, struct err *err);

#endif
