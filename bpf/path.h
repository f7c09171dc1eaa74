/* SPDX-License-Identifier: BSD-2-Clause */
/* A path that a program passed to the kernel, as the last member of a record. Shared by both sides. */
#ifndef SONDE_BPF_PATH_H
#define SONDE_BPF_PATH_H

struct path_record {
	/* of a relative path, if wanted: the names of its directories from the innermost out, each with a NUL */
	unsigned int dirs_size;
	unsigned short dirs_at; /* their offset in text; 0: there are none */
	unsigned char dirs_cut; /* there are more directories */
	unsigned char unread;	/* the path was not in memory */
	char text[];		/* begins with the path as it was passed */
};
_Static_assert(sizeof(struct path_record) == 8, "as on the other side");

#endif
