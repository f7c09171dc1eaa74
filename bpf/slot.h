/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How a program finds the slot of the target that was hit. Shared by both sides.
 *
 * A copy of a program is loaded for each way of attaching. The patch sites PATCH_SLOT_HOW and PATCH_SLOT_VALUE
 * (bpf/patch.h) hold how the copy finds the slot, and the verifier removes the other ways.
 */
#ifndef SONDE_BPF_SLOT_H
#define SONDE_BPF_SLOT_H

enum slot_how {
	SLOT_CONSTANT,	   /* one target for the copy */
	SLOT_COOKIE,	   /* the lower bits of the attach cookie are the slot: Linux 5.15 and later */
	SLOT_FUNC_IP,	   /* by the address of the function: kprobe.multi */
	SLOT_REGS_IP,	   /* by the probed address: perf-event kprobes without cookies */
	SLOT_SYSCALL,	   /* by the number of the syscall: the raw tracepoints sys_enter and sys_exit */
	SLOT_SYSCALL_TASK, /* the same on perf tracepoints, whose context has no registers */
	SLOT_KPROBE_IP,	   /* by the address of the kprobe that runs, which a return has, too: as SLOT_REGS_IP */
};

/*
 * A perfect hash from address to slot, for SLOT_*_IP, built by user space when the targets are known. bucket = (key
 * * multiplier) >> bucket_shift; the displacement of the bucket plus the low half of the product gives the cell. A
 * lookup takes two loads from memory whose address is in the program, for any number of targets; kprobe.multi finds
 * its own cookies by binary search. ("Hash, displace and compress", Belazzougui, Botelho, Dietzfelbinger 2009, in
 * its simplest form.) The key is the address for entry probes, and the address + SLOT_RETURN for return probes,
 * which is larger than any offset in a function. The key of a syscall is its number.
 */
#define SLOT_RETURN 0x80000000U
/* Where the kernel's struct kprobe has its address, in bytes. User space compares it with the kernel's types. */
#define SLOT_KPROBE_ADDR 40

struct slot_hash {
	unsigned long long multiplier;
	unsigned int bucket_shift;
	unsigned int cell_mask;
	unsigned int n_slots;
	unsigned int unused;
};
_Static_assert(sizeof(struct slot_hash) == 24, "as on the other side");

struct slot_cell {
	unsigned int key; /* low half of the key, to reject keys that are not in the table */
	unsigned int slot;
};
_Static_assert(sizeof(struct slot_cell) == 8, "as on the other side");

#define SLOT_NONE 0xffffffffU

/* The slot is in the lower bits of a cookie. The others describe the place to src/attach/gate.c. */
#define SLOT_COOKIE_BITS 24
#define SLOT_COOKIE_MASK ((1 << SLOT_COOKIE_BITS) - 1)

#endif
