/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Within script/: printf() of the language: C's conversions for integers, %s for every type, and bpftrace's own %r,
 * %rx, %rh (buffers) and %gr (flags of the kernel's page allocator).
 */
#ifndef SONDE_SCRIPT_SCRIPT_FORMAT_H
#define SONDE_SCRIPT_SCRIPT_FORMAT_H

#include "script_print.h"

/* Appends the format with n values. The compiler has checked that they agree; what does not is left out. */
void script_format_add(struct str *to, struct script_names *names, const char *format,
		       const struct script_value *values, size_t n);
/* printa(): appends the format once for each entry, with the parts of its key and its value. Sorts the entries. */
void script_format_map(struct str *to, struct script_names *names, struct script_entries *entries,
		       const struct script_choice *choice);

#endif
