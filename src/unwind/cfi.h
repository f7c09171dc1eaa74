/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For files in unwind only: executes the call frame instructions of one function and reports which rule
 * (bpf/unwind.h) applies from which address on. For the instructions see DWARF 5, 6.4; for expressions 2.5. Of
 * the expressions it understands only those that compilers and linkers write for the CFA, the frame pointer and
 * the return address: register + offset, the word stored there (plus a constant), and the one of the PLT. Any
 * other gives the rule UNWIND_CFA_UNKNOWN.
 */
#ifndef SONDE_UNWIND_CFI_H
#define SONDE_UNWIND_CFI_H

#include "bpf/unwind.h"
#include "base/cursor.h"

/* The registers that rules use, by DWARF's numbers for the architecture. */
struct cfi_machine {
	uint64_t sp, fp, ra;
	bool has_lr;	    /* a call leaves the return address in a register */
	uint8_t places[32]; /* of registers by their numbers: their indexes in the kernel's struct pt_regs */
	uint64_t n_places;
};

extern const struct cfi_machine cfi_x86_64, cfi_aarch64;

/* The common information entry (CIE), which many functions share. */
struct cfi_cie {
	uint64_t code_align;
	int64_t data_align;
	uint64_t ra;	       /* the number of the register that stands for the return address */
	uint8_t encoding;      /* of addresses, DW_EH_PE_* */
	bool augmented;	       /* each FDE has a block of augmentation data, preceded by its length */
	struct cursor initial; /* the instructions that run before each function's own */
};

/* The frame description entry (FDE) of one function. */
struct cfi_fde {
	const struct cfi_cie *cie;
	uint64_t start, end; /* addresses as linked; end is the first one behind */
	struct cursor instructions;
};

/*
 * Reports that the rule applies from vaddr on. Called with increasing addresses, and only while it runs is *rule
 * valid.
 */
typedef void (*cfi_row_fn)(void *ctx, uint64_t vaddr, const struct unwind_rule *rule);

/*
 * Executes the instructions of one function. Returns 0, or -EBADMSG if they are damaged: the rows that were
 * reported before the damage are valid, and the last one, UNWIND_CFA_UNKNOWN, covers the rest.
 */
int cfi_run(const struct cfi_machine *machine, const struct cfi_fde *fde, cfi_row_fn row, void *ctx);

#endif
