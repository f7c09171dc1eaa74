// SPDX-License-Identifier: BSD-2-Clause
/* Copies tables into blocks while they are made: no file's table is ever in our memory as a whole. */
#include <bpf/bpf.h>

#include "module_table.h"
#include "table.h"

_Static_assert(TABLE_PAGE_MAX <= UNWIND_BLOCK_ROWS, "the rows of a page fit in a block");

/* A table that is being made. */
struct making {
	struct module_tables *tables;
	uint32_t first; /* number of the first page */
	/* Entries for the pages so far. They get their block at the end, when their number is known. */
	struct unwind_page *v;
	size_t n, cap;
};

static void making_release(struct making *making)
{
	free(making->v);
}

static int put_rows(void *ctx, uint32_t page, const struct unwind_row *rows, size_t n)
{
	struct making *making = ctx;
	struct module_tables *tables = making->tables;
	struct blocks_piece piece;
	int ret = blocks_take(tables->blocks, &tables->rows, n * sizeof(*rows), &piece);

	if (ret)
		return ret;
	memcpy(piece.memory, rows, n * sizeof(*rows));
	if (!making->n)
		making->first = page;
	/* Pages that were left out have no rows. */
	while (making->first + making->n < page)
		vec_push(making);
	*vec_push(making) = (struct unwind_page){ .block = piece.block, .first = piece.at / sizeof(*rows), .n = n };
	return 0;
}

/* Copies the entries from number `from` on into a block, as many as it can hold. */
static int put_some_entries(struct module_table *table, const struct making *making, size_t from)
{
	size_t n = making->n - from < UNWIND_BLOCK_PAGES ? making->n - from : UNWIND_BLOCK_PAGES;
	struct module_tables *tables = making->tables;
	struct blocks_piece piece;
	int ret = blocks_take(tables->blocks, &tables->pages, n * sizeof(*making->v), &piece);

	if (ret)
		return ret;
	memcpy(piece.memory, making->v + from, n * sizeof(*making->v));
	*vec_push(table) = (struct module_pages){
		.page = making->first + from,
		.n = n,
		.block = piece.block,
		.first = piece.at / sizeof(*making->v),
	};
	return 0;
}

static int put_entries(struct module_table *table, const struct making *making)
{
	int ret = 0;

	for (size_t from = 0; !ret && from < making->n; from += UNWIND_BLOCK_PAGES)
		ret = put_some_entries(table, making, from);
	return ret;
}

int module_table_make(struct module_table *table, struct module_tables *tables, struct binary *binary)
{
	struct making making __cleanup(making_release) = { .tables = tables };
	size_t n_rules = tables->rules.n;
	int ret;

	blocks_begin(&tables->rows);
	blocks_begin(&tables->pages);
	ret = table_make(binary, &tables->rules, put_rows, &making, NULL);
	if (!ret)
		ret = put_entries(table, &making);
	blocks_end(tables->blocks, &tables->rows, !ret);
	blocks_end(tables->blocks, &tables->pages, !ret);
	if (ret) {
		rules_forget(&tables->rules, n_rules);
		module_table_release(table);
	}
	tables->no_room += ret == -ENOSPC || ret == -ENOMEM || ret == -EFBIG;
	return ret;
}

void module_table_release(struct module_table *table)
{
	free(table->v);
	*table = (struct module_table){};
}

int module_tables_show(struct module_tables *tables)
{
	const struct rules *rules = &tables->rules;

	for (; tables->rules_shown < rules->n; tables->rules_shown++) {
		uint32_t number = tables->rules_shown;

		if (bpf_map_update_elem(tables->rules_fd, &number, &rules->v[number], BPF_ANY))
			return -errno;
	}
	return blocks_show(tables->blocks);
}

void module_tables_release(struct module_tables *tables)
{
	blocks_part_release(&tables->rows);
	blocks_part_release(&tables->pages);
	rules_release(&tables->rules);
	if (tables->rules_fd >= 0)
		close(tables->rules_fd);
	tables->rules_fd = -1;
}
