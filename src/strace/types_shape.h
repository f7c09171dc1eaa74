/* SPDX-License-Identifier: BSD-2-Clause */
/* Structs whose text is told by another text. */
#ifndef SONDE_STRACE_TYPES_SHAPE_H
#define SONDE_STRACE_TYPES_SHAPE_H

#include "type.h"

/*
 * Appends the text of n bytes; false, and nothing, if it is made of more. The shape is as in src/strace/ioctls.txt;
 * and %? goes on behind the next %| if `size`, what the call says, ends here; %+ is ", ..." if there is more than
 * zeros; %k4 the version of a kernel.
 */
bool strace_shape(struct strace_line *line, const char *shape, size_t shape_n, const void *bytes, size_t n, size_t size);

#endif
