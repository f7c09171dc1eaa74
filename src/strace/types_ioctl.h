/* SPDX-License-Identifier: BSD-2-Clause */
/* For files of ioctl only. */
#ifndef SONDE_STRACE_TYPES_IOCTL_H
#define SONDE_STRACE_TYPES_IOCTL_H

#include "type.h"

/* A line of src/strace/ioctls.txt: what a request is called, and what its argument is. */
struct strace_ioctl {
	uint32_t request;
	uint16_t name_n, shape_n; /* bytes; no shape: nothing is known */
	const char *name, *shape;
};

/* NULL: a request without a name. */
const struct strace_ioctl *strace_ioctl_of(uint32_t request);
/* {c_iflag=..., ...} of struct termios, and of struct termio. */
void strace_termios(struct strace_line *line, const void *bytes);
void strace_termio(struct strace_line *line, const void *bytes);

#endif
