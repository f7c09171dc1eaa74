/* SPDX-License-Identifier: BSD-2-Clause */
/* Types of arguments of 32-bit programs. For narrow.c. */
#ifndef SONDE_STRACE_NARROW_H
#define SONDE_STRACE_NARROW_H

#include "strace_part.h"

/* The type for memory of 32-bit programs; NULL: it has none. The second: of calls whose ids have 16 bits. */
const struct strace_type *strace_narrow_type(const struct strace_type *wide);
const struct strace_type *strace_narrow_ids(const struct strace_type *wide);
const struct strace_type *strace_narrow_statfs64(void);
/* Of stat, lstat and fstat, where the others are stat64 and so on. */
const struct strace_type *strace_narrow_short_stat(void);

#endif
