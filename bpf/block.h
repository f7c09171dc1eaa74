/* SPDX-License-Identifier: BSD-2-Clause */
/* Disk requests. Shared by both sides. */
#ifndef SONDE_BPF_BLOCK_H
#define SONDE_BPF_BLOCK_H

/* Whose requests the user selected. */
struct block_wanted {
	unsigned char one_disk; /* only the disk below; else all disks */
	unsigned char unused[3];
	unsigned int major, minor;
};
_Static_assert(sizeof(struct block_wanted) == 12, "as on the other side");

/* A request as one number: the low byte is the operation, numbered as in the kernel; above are flags of our own. */
#define BLOCK_OP_MASK  0xff
#define BLOCK_OP_FLUSH 2

enum block_flag {
	BLOCK_SYNC = 1 << 8,
	BLOCK_META = 1 << 9,
	BLOCK_PRIO = 1 << 10,
	BLOCK_NOMERGE = 1 << 11,
	BLOCK_IDLE = 1 << 12,
	BLOCK_FUA = 1 << 13,
	BLOCK_RAHEAD = 1 << 14,
	BLOCK_BACKGROUND = 1 << 15,
	BLOCK_NOWAIT = 1 << 16,
};

#endif
