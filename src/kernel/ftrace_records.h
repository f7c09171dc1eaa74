/* SPDX-License-Identifier: BSD-2-Clause */
/* Within kernel/: ftrace's own records of the functions that it can trace, read from the kernel's memory. */
#ifndef SONDE_KERNEL_FTRACE_RECORDS_H
#define SONDE_KERNEL_FTRACE_RECORDS_H

#include "memory.h"

/*
 * fn gets the address of each record, in no order. at: the address of ftrace_pages_start. 0: fn got all of them;
 * -errno: what it got is of no use (-EAGAIN: their number is not the one that ftrace reports, for a module came or
 * went meanwhile).
 */
int ftrace_records_each(const struct memory *memory, uint64_t at, void (*fn)(uint64_t addr, void *ctx), void *ctx);

#endif
