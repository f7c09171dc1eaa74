// SPDX-License-Identifier: BSD-2-Clause
/*
 * Makes the pages and rows of an unwind table, and looks rules up in it. The BPF unwinder will search the same
 * layout.
 */
#include "base/search.h"
#include "binary/binary.h"
#include "eh_frame.h"
#include "table.h"

#define PAGE_SIZE (1ULL << UNWIND_PAGE_SHIFT)

/*
 * The largest file offset of text: 65,536 pages. A hostile file may claim a huge function, which takes one page
 * for each 64 KB.
 */
#define TEXT_MAX (4ULL << 30)

#if defined(__x86_64__)
#define MACHINE cfi_x86_64
#elif defined(__aarch64__)
#define MACHINE cfi_aarch64
#endif

struct maker {
	struct table *table;
	struct rules *rules;
	uint64_t delta;	  /* file offset minus address, of the current function */
	uint64_t reached; /* file offset at which the function before it ended */
	uint16_t rule;	  /* the rule after the last row */
};

/* Begins a page. Its first row repeats the rule that applies there. */
static void begin_page(struct maker *maker, uint32_t page)
{
	struct table *table = maker->table;
	struct table_page *new = vec_push(table);

	new->page = page;
	new->first = table->rows.n;
	new->n = 1;
	*vec_push(&table->rows) = (struct unwind_row){ .place = 0, .rule = maker->rule };
}

/* Adds pages up to this one. Each page of text that a rule covers exists, even if the rule begins far before it. */
static void go_to_page(struct maker *maker, uint32_t page)
{
	struct table *table = maker->table;
	uint32_t next = table->n ? table->v[table->n - 1].page + 1 : page;

	/* No rule applies to the text in between: it needs no pages. */
	if (maker->rule == UNWIND_RULE_NONE && next < page)
		next = page;
	for (; next <= page; next++)
		begin_page(maker, next);
}

static void add_row(struct maker *maker, uint64_t offset, uint16_t rule)
{
	struct table *table = maker->table;
	struct unwind_row *last;

	if (rule == maker->rule)
		return;
	go_to_page(maker, offset >> UNWIND_PAGE_SHIFT);
	maker->rule = rule;
	last = &table->rows.v[table->rows.n - 1];
	if (last->place == offset % PAGE_SIZE) {
		last->rule = rule;
		return;
	}
	*vec_push(&table->rows) = (struct unwind_row){ .place = offset % PAGE_SIZE, .rule = rule };
	table->v[table->n - 1].n++;
}

static void on_row(void *ctx, uint64_t vaddr, const struct unwind_rule *rule)
{
	struct maker *maker = ctx;

	add_row(maker, vaddr + maker->delta, rules_number(maker->rules, rule));
}

/*
 * Finds the function in the file. Rows are in the order of file offsets, but functions in that of addresses.
 * Segments can have another order in the file than in memory: such functions are refused.
 */
static bool find_place(struct maker *maker, struct binary *binary, const struct cfi_fde *fde)
{
	uint64_t first, last;

	if (binary_offset_of(binary, fde->start, true, &first) || binary_offset_of(binary, fde->end - 1, true, &last) ||
	    last - first != fde->end - 1 - fde->start || first < maker->reached || last >= TEXT_MAX)
		return false;
	maker->delta = first - fde->start;
	return true;
}

static void add_function(struct maker *maker, const struct cfi_fde *fde)
{
	/* No rule applies between two functions. Mostly there is nothing between them. */
	if (fde->start + maker->delta != maker->reached)
		add_row(maker, maker->reached, UNWIND_RULE_NONE);
	maker->table->damaged += cfi_run(&MACHINE, fde, on_row, maker) < 0;
	maker->table->functions++;
	maker->reached = fde->end + maker->delta;
}

int table_make(struct table *table, struct binary *binary, struct rules *rules)
{
	struct maker maker = { .table = table, .rules = rules, .rule = UNWIND_RULE_NONE };
	__cleanup(eh_frame_release) struct eh_frame frame = {};
	struct binary_bytes bytes;
	int ret = binary_eh_frame(binary, &bytes);

	if (!ret)
		ret = eh_frame_read(&frame, &bytes);
	if (ret)
		return ret;
	table->damaged = frame.damaged;
	for (size_t i = 0; i < frame.n; i++) {
		struct cfi_fde fde = eh_frame_fde(&frame, i);

		if (find_place(&maker, binary, &fde))
			add_function(&maker, &fde);
		else
			table->damaged++;
	}
	add_row(&maker, maker.reached, UNWIND_RULE_NONE);
	return table->functions ? 0 : -ENODATA;
}

/* Returns the last page at or before the one wanted, NULL if there is none. */
static const struct table_page *find_page(const struct table *table, uint64_t page)
{
	size_t behind = search_first(i, table->n, table->v[i].page > page);

	return behind ? &table->v[behind - 1] : NULL;
}

uint16_t table_rule(const struct table *table, uint64_t offset)
{
	const struct table_page *page = find_page(table, offset >> UNWIND_PAGE_SHIFT);
	const struct unwind_row *rows;
	size_t behind;

	if (!page || page->page != offset >> UNWIND_PAGE_SHIFT)
		return UNWIND_RULE_NONE;
	rows = table->rows.v + page->first;
	behind = search_first(i, page->n, rows[i].place > offset % PAGE_SIZE);
	return rows[behind ? behind - 1 : 0].rule;
}

void table_release(struct table *table)
{
	free(table->v);
	free(table->rows.v);
	*table = (struct table){};
}
