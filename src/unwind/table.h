/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes the unwind table of one ELF file from its .eh_frame: for each offset of its text the rule (bpf/unwind.h) that
 * finds the caller's frame. 4 bytes a row: the table of bash has 80 KB, that of libc 110 KB. Knows no process, and not
 * where the table is kept.
 */
#ifndef SONDE_UNWIND_TABLE_H
#define SONDE_UNWIND_TABLE_H

#include "rules.h"

/*
 * The most rows that a file can have; the largest known one, libxul, has 3.5 million. And the most of a page: one for
 * each byte.
 */
#define TABLE_ROWS_MAX (8 << 20)
#define TABLE_PAGE_MAX (1 << UNWIND_PAGE_SHIFT)
/* The most rules that a file can add to those of others, so that one hostile file cannot take all. libxul has 700. */
#define TABLE_RULES_MAX 4096

/* Who takes the pages of a table. */
struct table_taker {
	/*
	 * Takes a page (file offset >> UNWIND_PAGE_SHIFT) and its n rows, 1 to TABLE_PAGE_MAX, which are valid during the
	 * call. Pages come in ascending order; one without any function does not come. A non-zero return ends the work.
	 */
	int (*page)(void *ctx, uint32_t page, const struct unwind_row *rows, size_t n);
	void *ctx;
	/* Whether to end the work, with -EINTR; asked now and then. NULL: never. */
	bool (*should_stop)(void *ctx);
	void *stop_ctx;
};

struct table_count {
	uint64_t functions; /* that the table covers */
	uint64_t damaged;   /* records and functions that were skipped because they are damaged */
};

/*
 * Makes the table of a file, gives its pages to taker, and adds its rules to `rules`, up to rules->limit. Damaged records are skipped and
 * counted. count may be NULL. Returns 0; -ENODATA if the file describes no function; -EFBIG if its section or its
 * table is larger than any real one; -EBADMSG if its section lies outside the file; or what taker returned.
 */
struct binary;
int table_make(struct binary *binary, struct rules *rules, const struct table_taker *taker, struct table_count *count);

#endif
