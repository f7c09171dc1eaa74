/* SPDX-License-Identifier: BSD-2-Clause */
/* For modules.c: puts the tables of files into blocks, and the rules into their array. */
#ifndef SONDE_UNWIND_MODULE_TABLE_H
#define SONDE_UNWIND_MODULE_TABLE_H

#include "blocks.h"
#include "rules.h"
#include "users.h"

struct binary;

/* Page entries in blocks: consecutive pages, in pieces that do not cross a block. */
struct module_table {
	struct module_pages {
		uint32_t page, n; /* n entries, for pages from this one on */
		uint32_t block;
		uint16_t first; /* index of the first entry in the block */
	} * v;
	size_t n, cap;
};

/* What all tables share. */
struct module_tables {
	struct blocks *blocks;
	struct blocks_part rows, pages;
	struct rules rules;
	int rules_fd;	    /* the array "unwind_rules" */
	size_t rules_shown; /* rules below this number are in it */
	struct shares *shares;
	/* Whether the user wants to stop; NULL: never. */
	bool (*should_stop)(void *ctx);
	void *ctx;
};

/*
 * Makes the table of a file of a user. Initialise table with {}; free it with module_table_release(), also after an
 * error. Returns 0, -ENODATA: the file has none, -ENOSPC, -ENOMEM or -EFBIG: there is no room, -EINTR: should_stop
 * returned true. Else errors as of table_make().
 */
int module_table_make(struct module_table *table, struct module_tables *tables, struct binary *binary, uid_t uid);
void module_table_release(struct module_table *table);
/* Makes sure that BPF programs see all tables that exist. Returns 0 or -errno. */
int module_tables_show(struct module_tables *tables);
void module_tables_release(struct module_tables *tables);

#endif
