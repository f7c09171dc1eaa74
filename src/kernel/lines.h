/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the lines of large files of /proc and tracefs through one buffer of fixed size. */
#ifndef SONDE_KERNEL_LINES_H
#define SONDE_KERNEL_LINES_H

#include "base/base.h"

struct lines {
	int fd; /* the caller sets and closes it */
	size_t start, end;
	char buf[64 * 1024];
};

/*
 * The next line without its newline, valid until the next call; a line longer than the buffer comes in pieces.
 * NULL: the end of the file (*error is 0) or an error (*error is -errno).
 */
char *lines_next(struct lines *l, int *error);

#endif
