/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of a file in memory, to look rules up in. */
#ifndef SONDE_TESTS_UNIT_UNWIND_TABLE_H
#define SONDE_TESTS_UNIT_UNWIND_TABLE_H

#include "base/search.h"
#include "binary/binary.h"
#include "unwind/table.h"

/* Initialise with {}. */
struct test_table {
	struct test_page {
		uint32_t page, first, n;
	} * v;
	size_t n, cap;
	vec(struct unwind_row) rows;
	struct table_count count;
};

static inline int test_table_add(void *ctx, uint32_t page, const struct unwind_row *rows, size_t n)
{
	struct test_table *table = ctx;

	*vec_push(table) = (struct test_page){ page, table->rows.n, n };
	for (size_t i = 0; i < n; i++)
		*vec_push(&table->rows) = rows[i];
	return 0;
}

static inline int test_table_make(struct test_table *table, struct binary *binary, struct rules *rules)
{
	const struct table_taker taker = { .page = test_table_add, .ctx = table };

	return table_make(binary, rules, &taker, &table->count);
}

/* The number of the rule for a file offset, UNWIND_RULE_NONE if there is none. */
static inline uint16_t test_table_rule(const struct test_table *table, uint64_t offset)
{
	uint64_t number = offset >> UNWIND_PAGE_SHIFT, place = offset & ((1 << UNWIND_PAGE_SHIFT) - 1);
	size_t behind = search_first(i, table->n, table->v[i].page > number);
	const struct test_page *page = behind ? &table->v[behind - 1] : NULL;
	const struct unwind_row *rows;

	if (!page || page->page != number)
		return UNWIND_RULE_NONE;
	rows = table->rows.v + page->first;
	behind = search_first(i, page->n, rows[i].place > place);
	return rows[behind - 1].rule;
}

static inline void test_table_release(struct test_table *table)
{
	free(table->v);
	free(table->rows.v);
	*table = (struct test_table){};
}

#endif
