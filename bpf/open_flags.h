/* SPDX-License-Identifier: BSD-2-Clause */
/* Flags of open(2) that the user wants to see. Shared by both sides. */
#ifndef SONDE_BPF_OPEN_FLAGS_H
#define SONDE_BPF_OPEN_FLAGS_H

struct open_flags {
	unsigned char chosen; /* false: all opens are wanted; otherwise one of the following must match */
	unsigned char modes;  /* a bit for each of O_RDONLY, O_WRONLY, O_RDWR */
	unsigned int flags;   /* any of these */
};
_Static_assert(sizeof(struct open_flags) == 8, "as on the other side");

#endif
