/* SPDX-License-Identifier: BSD-2-Clause */
/* For files in unwind only: where the functions of a file begin and end, by .eh_frame, to name code without symbols. */
#ifndef SONDE_UNWIND_FUNCTIONS_H
#define SONDE_UNWIND_FUNCTIONS_H

#include "base/base.h"

struct binary;

/* Sorted by offset; functions do not overlap. */
struct functions {
	struct functions_one {
		uint32_t offset, size; /* in the file */
	} * v;
	size_t n, cap;
};

/*
 * Reads them. Initialise functions with {}; free them with functions_release(), also after an error. Functions beyond
 * 4 GB of a file are left out. Errors as of table_make().
 */
int functions_read(struct functions *functions, struct binary *binary);
/* The function that contains a file offset. NULL: none does. */
const struct functions_one *functions_at(const struct functions *functions, uint64_t offset);
void functions_release(struct functions *functions);

#endif
