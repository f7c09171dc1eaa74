/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a probe may be put in an ELF file: only where an instruction begins. A breakpoint anywhere else changes
 * what the program does. To be certain, code is decoded from the begin of the function, one instruction after the
 * other. A function that only a debug file names may be a lie: its places must also be confirmed by the file itself
 * (binary_confirm.c).
 *
 * The binary_check_*() functions return 0, or -errno with a reason in err that does not name the place: the caller
 * adds that. -EINVAL: not code. -EILSEQ: not the begin of a known instruction. -EOPNOTSUPP: the kernel would skip
 * the instruction (struct instruction). -EBADMSG, -E2BIG, -EIO: the function cannot be decoded.
 */
#ifndef SONDE_BINARY_BINARY_CODE_H
#define SONDE_BINARY_BINARY_CODE_H

#include "binary.h"

/* The entry of a function. Decodes only the instruction there; cheap for many functions in the order of the file. */
int binary_check_entry(struct binary *binary, const struct binary_symbol *function, struct err *err);
/* offset bytes into a function. -ERANGE: beyond its end. */
int binary_check_offset(struct binary *binary, const struct binary_symbol *function, uint64_t offset, struct err *err);
/* offset in the file. *function: the function that it is in, or NULL. -ENOENT: it is in none whose size is known. */
int binary_check_place(struct binary *binary, uint64_t offset, const struct binary_symbol **function, struct err *err);
/* offset in the file, where a note places a USDT probe. A nop is accepted at once: that is what <sys/sdt.h> emits. */
int binary_check_usdt(struct binary *binary, uint64_t offset, struct err *err);

/* Where calls of a function end. */
struct binary_returns {
	uint64_t *v; /* file offsets of the return instructions */
	size_t n, cap;
	bool again; /* a jump leads back to the entry: an entry probe may hit more than once in a call */
};

/*
 * Finds all return instructions of a function. The caller frees returns->v. entry: where the entry probe is, in
 * bytes from the begin of the function. -ENOTSUP: a call may end in another way (a jump into another function,
 * running into the code that follows, not at all), or code cannot be decoded. -E2BIG, -EIO, -ENOMEM: the code
 * cannot be read. err says why.
 */
int binary_find_returns(struct binary *binary, const struct binary_symbol *function, uint64_t entry, struct binary_returns *returns,
			struct err *err);

/*
 * *entry: the place in a Go function that each call passes exactly once, in bytes from the begin of the function.
 * It is the instruction after the check for stack space: if there is too little, the runtime grows the stack and
 * starts the function again. 0 if the function has no such check. -EIO, -EOPNOTSUPP: no probe may be there; err
 * says why.
 */
int binary_go_entry(struct binary *binary, const struct binary_symbol *function, uint64_t *entry, struct err *err);
/* The addresses, as linked, between which all functions from Go's compiler and assembler are. -ENOENT: unknown. */
int binary_go_range(struct binary *binary, uint64_t *begin, uint64_t *end);

#endif
