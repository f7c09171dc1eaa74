/* SPDX-License-Identifier: BSD-2-Clause */
/* What the instructions of Ruby's functions say, on each architecture; for runtime_ruby.c. */
#ifndef SONDE_INTERP_RUBY_CODE_H
#define SONDE_INTERP_RUBY_CODE_H

#include "language.h"

#define RUBY_STUB_MAX 64 /* bytes of a short function */

/* Instructions begin at multiples of it. */
#if defined(__x86_64__)
#define RUBY_CODE_STEP 1
#else
#define RUBY_CODE_STEP 4
#endif

/* Reads a function's code, as far as it has room in max bytes. Returns how many. */
size_t ruby_code_read(const struct runtime_file *file, const struct binary_exported *function, uint8_t *code, size_t max);
/* Whether the code calls a function there; *target: which. */
bool ruby_code_call(const uint8_t *code, size_t n, uint64_t vaddr, uint64_t *target);
/* The first function that a function calls. */
bool ruby_code_first_call(const struct runtime_file *file, const struct binary_exported *function, uint64_t *target);
/*
 * Where dynamic linking has put the place of the thread's variable that a function reads, or the first one that it calls:
 * on x86-64 what __tls_get_addr() is told, on arm64 a descriptor (TLSDESC).
 */
bool ruby_code_variable(const struct runtime_file *file, const struct binary_exported *function, uint64_t *place);
/* Where a function has the names of symbols: it compares the last one's number, 16 bytes before. */
bool ruby_code_symbols(const struct runtime_file *file, const struct binary_exported *function, uint64_t *names);
/* Whether a function returns what its argument's member `first` points to, at an offset. */
bool ruby_code_member(const struct runtime_file *file, const struct binary_exported *function, uint8_t first, uint8_t offset);

#endif
