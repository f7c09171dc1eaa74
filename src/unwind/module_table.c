// SPDX-License-Identifier: BSD-2-Clause
#include <bpf/bpf.h>

#include "module_table.h"
#include "table.h"

/* A page of hostile text can have more rows than a block. The rest of it has no rule then. */
static uint32_t n_rows(const struct table_page *page)
{
	return page->n < UNWIND_BLOCK_ROWS ? page->n : UNWIND_BLOCK_ROWS;
}

static int put_rows(struct module_tables *tables, const struct table *table, const struct table_page *page,
		    struct unwind_page *entry)
{
	uint32_t n = n_rows(page);
	struct blocks_piece piece;
	int ret = blocks_take(tables->blocks, &tables->rows, n * sizeof(struct unwind_row), &piece);

	if (ret)
		return ret;
	memcpy(piece.memory, table->rows.v + page->first, n * sizeof(struct unwind_row));
	if (n < page->n)
		((struct unwind_row *)piece.memory)[n - 1].rule = UNWIND_RULE_UNKNOWN;
	*entry = (struct unwind_page){ .block = piece.block, .first = piece.at / sizeof(struct unwind_row), .n = n };
	tables->bytes += n * sizeof(struct unwind_row);
	return 0;
}

/* Takes entries for n pages from this one on, as many as one block has. */
static int take_entries(struct module_table *made, struct module_tables *tables, uint32_t page, uint32_t n,
			struct unwind_page **entries)
{
	struct blocks_piece piece;
	struct module_pages *new;
	int ret;

	if (n > UNWIND_BLOCK_PAGES)
		n = UNWIND_BLOCK_PAGES;
	ret = blocks_take(tables->blocks, &tables->pages, n * sizeof(**entries), &piece);
	if (ret)
		return ret;
	new = vec_push(made);
	*new = (struct module_pages){ .page = page, .n = n, .block = piece.block, .first = piece.at / sizeof(**entries) };
	*entries = piece.memory;
	tables->bytes += n * sizeof(**entries);
	return 0;
}

static int put(struct module_table *made, struct module_tables *tables, const struct table *table)
{
	uint32_t last = table->v[table->n - 1].page, page = table->v[0].page;
	struct unwind_page *entries;
	const struct table_page *next = table->v;
	int ret = 0;

	while (!ret && page <= last) {
		ret = take_entries(made, tables, page, last - page + 1, &entries);
		for (uint32_t end = ret ? 0 : page + made->v[made->n - 1].n; !ret && page < end; page++, entries++)
			if (next->page == page)
				ret = put_rows(tables, table, next++, entries);
	}
	return ret;
}

int module_table_make(struct module_table *made, struct module_tables *tables, struct binary *binary)
{
	__cleanup(table_release) struct table table = {};
	int ret = table_make(&table, binary, &tables->rules);

	if (!ret)
		ret = put(made, tables, &table);
	if (ret)
		module_table_release(made);
	tables->no_room += ret == -ENOSPC || ret == -ENOMEM;
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
