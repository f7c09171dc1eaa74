/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The unwind table of one ELF file, from its .eh_frame: for each place of its text the rule (bpf/unwind.h) by which the
 * caller's frame is found. 4 bytes a row: bash has 80 KB, libc 110. Knows no process.
 */
#ifndef SONDE_TABLE_H
#define SONDE_TABLE_H

#include "rules.h"

struct table {
	/* Sorted by page; a page without any function is not there. */
	struct table_page {
		uint32_t page;	   /* offset in the file >> UNWIND_PAGE_SHIFT */
		uint32_t first, n; /* its rows */
	} * v;
	size_t n, cap;
	struct table_rows {
		struct unwind_row *v;
		size_t n, cap;
	} rows;
	uint64_t functions, damaged; /* described; records of the section that could not be read */
};

/*
 * Makes the table; its rules are added to rules. Initialise table with {}. What is damaged is left out and counted. -ENODATA:
 * the file describes no function; -EFBIG: it describes more than any real file; -EBADMSG: its section is not in the file.
 */
struct binary;
int table_make(struct table *table, struct binary *elf, struct rules *rules);
/* The rule for an offset in the file. */
uint16_t table_rule(const struct table *table, uint64_t offset);
void table_release(struct table *table);

#endif
