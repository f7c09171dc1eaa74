/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How a program learns which target was hit. Shared by both sides.
 *
 * A program is loaded once for each way of attaching. PATCH_SLOT_HOW and PATCH_SLOT_VALUE (bpf/patch.h) tell each copy how it finds the
 * slot, and the verifier removes the ways that the copy does not use.
 */
#ifndef SONDE_SLOT_H
#define SONDE_SLOT_H

enum slot_how {
	SLOT_CONSTANT,	   /* one target a program */
	SLOT_COOKIE,	   /* the attach cookie is the slot: Linux 5.15 and later */
	SLOT_FUNC_IP,	   /* by the function's address: kprobe.multi */
	SLOT_REGS_IP,	   /* by the probed address: perf-event kprobes without cookies */
	SLOT_SYSCALL,	   /* by the syscall's number: the raw tracepoints sys_enter and sys_exit */
	SLOT_SYSCALL_TASK, /* the same on perf's tracepoints, which do not give the registers */
};

/*
 * Address to slot, for SLOT_*_IP: a perfect hash, built by user space once the targets
 * are known. bucket = (key * multiplier) >> bucket_shift; the bucket's displacement
 * plus the product's low half gives the cell. Two loads from memory whose address is in
 * the program, however many targets there are: kprobe.multi's own cookie is a binary search.
 * ("Hash, displace and compress", Belazzougui, Botelho, Dietzfelbinger 2009, in its simplest form.)
 * The key is the address for entry probes, and the address + SLOT_RETURN for return probes: further
 * away than any offset within a function. A syscall's key is its number, as if that were an address.
 */
#define SLOT_RETURN 0x80000000U

struct slot_hash {
	unsigned long long multiplier;
	unsigned int bucket_shift;
	unsigned int cell_mask;
	unsigned int n_slots;
};

struct slot_cell {
	unsigned int key; /* low half of the key: whatever is not in the table must not be counted */
	unsigned int slot;
};

#define SLOT_NONE 0xffffffffU

#endif
