/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a probe may be put into an ELF file: only where an instruction begins. A breakpoint anywhere else changes what the
 * program does. What is certain is found from a function's begin, one instruction after the other.
 * Each gives 0, or an error whose text says why not, and no more: what may not be, its caller knows.
 */
#ifndef SONDE_BINARY_CODE_H
#define SONDE_BINARY_CODE_H

#include "binary.h"

/* A function's first instruction, the only one that is decoded. Cheap for many, in the order in which they lie. */
int binary_check_entry(struct binary *binary, const struct binary_symbol *function, struct err *err);
/* An offset within a function. -ERANGE: beyond its end. */
int binary_check_offset(struct binary *binary, const struct binary_symbol *function, uint64_t offset, struct err *err);
/* A place in the file, within whichever function it is: *function, of which there need be no more than one. */
int binary_check_place(struct binary *binary, uint64_t offset, const struct binary_symbol **function, struct err *err);
/* A place in the file where a USDT probe is said to be, which is mostly a nop. */
int binary_check_usdt(struct binary *binary, uint64_t offset, struct err *err);

/* Where a call of a function ends, and where it begins. */
struct binary_returns {
	uint64_t *v; /* places in the file, each a return instruction */
	size_t n, cap;
	bool again; /* what stands at the entry may run more than once in a call */
};

/*
 * All instructions by which a function returns; v is the caller's to free. Refused where a call may end in another way: by a jump into another
 * function, by running into what comes behind it, or not at all. entry: bytes from the function's begin.
 */
int binary_find_returns(struct binary *binary, const struct binary_symbol *function, uint64_t entry, struct binary_returns *returns,
			struct err *err);

/*
 * Where each call of a function of Go passes once, in bytes from its begin: behind the look whether there is room on the stack. Where
 * there is none the runtime makes some, and the function begins anew. Without that look it is 0. An error says why no probe may be there.
 */
int binary_go_entry(struct binary *binary, const struct binary_symbol *function, uint64_t *entry, struct err *err);
/* The addresses between which are the functions that Go has compiled or assembled. -ENOENT: nothing tells. */
int binary_go_range(struct binary *binary, uint64_t *begin, uint64_t *end);

#endif
