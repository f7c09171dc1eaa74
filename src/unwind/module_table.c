// SPDX-License-Identifier: BSD-2-Clause
/* Copies tables into blocks while they are made: no file's table is ever in our memory as a whole. */
#include <bpf/bpf.h>

#include "base/clock.h"
#include "module_table.h"
#include "table.h"

_Static_assert(TABLE_PAGE_MAX <= UNWIND_BLOCK_ROWS, "the rows of a page fit in a block");

/* Tables leave this much to the mappings of processes. */
#define RUNS_LEAST ((uint64_t)UNWIND_BLOCKS_MAX / 4 * UNWIND_BLOCK_SIZE)
#define TABLES_MAX ((uint64_t)UNWIND_BLOCKS_MAX * UNWIND_BLOCK_SIZE - RUNS_LEAST)

/* A table that is being made. */
struct making {
	struct module_tables *tables;
	uint64_t most;	/* bytes that all tables may have when it is made */
	uint32_t first; /* number of the first page */
	/* Entries for the pages so far. They get their block at the end, when their number is known. */
	vec(struct unwind_page);
};

static void making_release(struct making *making)
{
	free(making->v);
}

static uint64_t taken(const struct module_tables *tables)
{
	return tables->rows.at.taken + tables->pages.at.taken;
}

static int put_rows(void *ctx, uint32_t page, const struct unwind_row *rows, size_t n)
{
	struct making *making = ctx;
	struct module_tables *tables = making->tables;
	struct blocks_piece piece;
	int ret = blocks_take(tables->blocks, &tables->rows, n * sizeof(*rows), &piece);

	if (!ret && taken(tables) > making->most)
		ret = -ENOSPC;
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

	if (!ret && taken(tables) > making->most)
		ret = -ENOSPC;
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

/* How large all tables may be when that of a file of this user is made. */
static uint64_t most(const struct module_tables *tables, uid_t uid)
{
	uint64_t left = shares_left(tables->shares, uid, USERS_TABLES);

	if (left != UINT64_MAX && left > USERS_FILE)
		left = USERS_FILE;
	return left < TABLES_MAX - taken(tables) ? taken(tables) + left : TABLES_MAX;
}

static int make(struct module_table *table, struct making *making, struct binary *binary, uint64_t rules_left)
{
	struct module_tables *tables = making->tables;
	const struct table_taker taker = {
		.page = put_rows,
		.should_stop = tables->should_stop,
		.ctx = making,
		.stop_ctx = tables->ctx,
	};
	int ret;

	tables->rules.limit = rules_left < TABLE_RULES_MAX ? tables->rules.n + rules_left : tables->rules.n + TABLE_RULES_MAX;
	ret = table_make(binary, &tables->rules, &taker, NULL);
	tables->rules.limit = 0;
	return ret ? ret : put_entries(table, making);
}

int module_table_make(struct module_table *table, struct module_tables *tables, struct binary *binary, uid_t uid)
{
	struct making making __cleanup(making_release) = { .tables = tables, .most = most(tables, uid) };
	uint64_t before = taken(tables), began = clock_monotonic_ns();
	size_t n_rules = tables->rules.n;
	int ret = -ENOSPC;

	if (tables->should_stop && tables->should_stop(tables->ctx))
		return -EINTR;
	blocks_begin(&tables->rows);
	blocks_begin(&tables->pages);
	if (shares_left(tables->shares, uid, USERS_TIME))
		ret = make(table, &making, binary, shares_left(tables->shares, uid, USERS_RULES));
	blocks_end(tables->blocks, &tables->rows, !ret);
	blocks_end(tables->blocks, &tables->pages, !ret);
	if (ret) {
		rules_forget(&tables->rules, n_rules);
		module_table_release(table);
	}
	shares_take(tables->shares, uid, USERS_TABLES, taken(tables) - before);
	shares_take(tables->shares, uid, USERS_RULES, tables->rules.n - n_rules);
	shares_take(tables->shares, uid, USERS_TIME, clock_monotonic_ns() - began);
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
