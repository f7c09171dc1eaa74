/* SPDX-License-Identifier: BSD-2-Clause */
/* The lines of a file of the kernel's, through one fixed buffer: these files are large and not seekable. */
#ifndef SONDE_LINES_H
#define SONDE_LINES_H

#include "base/base.h"

struct lines {
	int fd; /* the caller's */
	size_t start, end;
	char buf[64 * 1024];
};

/* The next line without its newline, valid until the next call; NULL at the end or on an error (*error, -errno). */
char *lines_next(struct lines *l, int *error);

#endif
