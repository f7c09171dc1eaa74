/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The unwind table of one ELF file, made from its .eh_frame: for each offset of its text the rule (bpf/unwind.h)
 * that finds the caller's frame. 4 bytes a row: the table of bash has 80 KB, that of libc 110 KB. Knows no
 * process.
 */
#ifndef SONDE_TABLE_H
#define SONDE_TABLE_H

#include "rules.h"

struct table {
	/* Sorted by page. A page without any function is absent. */
	struct table_page {
		uint32_t page;	   /* file offset >> UNWIND_PAGE_SHIFT */
		uint32_t first, n; /* its rows: n of them, from index `first` */
	} * v;
	size_t n, cap;
	struct table_rows {
		struct unwind_row *v;
		size_t n, cap;
	} rows;
	uint64_t functions; /* that the table covers */
	uint64_t damaged;   /* records and functions that were skipped because they are damaged */
};

/*
 * Makes the table of a file and adds its rules to `rules`. Initialise table with {}; free it with
 * table_release(), also after an error. Damaged records are skipped and counted. Returns 0; -ENODATA if the file
 * describes no function; -EFBIG if its section is larger than any real one; -EBADMSG if its section lies outside
 * the file.
 */
struct binary;
int table_make(struct table *table, struct binary *binary, struct rules *rules);
/* Returns the number of the rule for a file offset, UNWIND_RULE_NONE if there is none. */
uint16_t table_rule(const struct table *table, uint64_t offset);
void table_release(struct table *table);

#endif
