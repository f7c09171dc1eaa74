/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Within unwind/: the call frame instructions of one function, executed: which rule (bpf/unwind.h) is in force from which
 * address on. The instructions: DWARF 5, 6.4; expressions: 2.5. Of the expressions only those are understood that compilers and
 * linkers write for the CFA, the frame pointer and the return address: register + offset, what is stored there (+ a constant),
 * and the one of the PLT. All others make a rule UNWIND_CFA_UNKNOWN.
 */
#ifndef SONDE_CFI_H
#define SONDE_CFI_H

#include "bpf/unwind.h"
#include "cursor.h"

/* The registers that rules name, by the numbers that DWARF gives them on an architecture. */
struct cfi_machine {
	uint64_t sp, fp, ra;
	bool has_lr; /* a return address is in a register until it is saved */
};

extern const struct cfi_machine cfi_x86_64, cfi_aarch64;

/* What many functions have in common. */
struct cfi_cie {
	uint64_t code_align;
	int64_t data_align;
	uint64_t ra;	       /* the number of the register that stands for the return address */
	uint8_t encoding;      /* of addresses */
	bool augmented;	       /* the FDE has a length of what is its language's own */
	struct cursor initial; /* instructions before each function's own */
};

struct cfi_fde {
	const struct cfi_cie *cie;
	uint64_t start, end; /* addresses as linked */
	struct cursor instructions;
};

/* Called with growing addresses: from this one on the rule is in force. */
typedef void (*cfi_row_fn)(void *ctx, uint64_t vaddr, const struct unwind_rule *rule);

/* 0; -EBADMSG where the instructions are damaged: what came before it was reported, and holds. */
int cfi_run(const struct cfi_machine *machine, const struct cfi_fde *fde, cfi_row_fn row, void *ctx);

#endif
