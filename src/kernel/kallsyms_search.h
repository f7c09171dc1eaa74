/* SPDX-License-Identifier: BSD-2-Clause */
/* Within kernel/: finds the functions of addresses in the text of /proc/kallsyms, without keeping its symbols. */
#ifndef SONDE_KERNEL_KALLSYMS_SEARCH_H
#define SONDE_KERNEL_KALLSYMS_SEARCH_H

#include "memory.h"

/*
 * Reads the text once, for n addresses that are sorted, and fills in all of v. The names are added to strings. Sets
 * places as kallsyms_text_each() does.
 */
void kallsyms_search(struct ksym_wanted *v, size_t n, struct pool *strings, struct memory_places *places);

#endif
