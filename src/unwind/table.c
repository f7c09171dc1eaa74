// SPDX-License-Identifier: BSD-2-Clause
/* Makes the rows of an unwind table, page by page. */
#include "binary/binary.h"
#include "eh_frame.h"
#include "table.h"

#define PAGE_SIZE (1ULL << UNWIND_PAGE_SHIFT)

/*
 * The largest file offset of text: half a million pages. A hostile file may claim a huge function, which takes a row and
 * an entry in each.
 */
#define TEXT_MAX (1ULL << 30)

/*
 * The code at which the execution of a file begins has no caller. In assembler it often has no FDE either: in x86-64's
 * ld.so, for example, which would end the stack of each program that starts. It is short.
 */
#define ENTRY_SIZE 128

/* Text that has no FDE, and a rule nevertheless: file offsets. */
struct known {
	uint64_t start, end;
	uint16_t rule;
};
#define KNOWN_MAX 16

#if defined(__x86_64__)
#define MACHINE cfi_x86_64
#elif defined(__aarch64__)
#define MACHINE cfi_aarch64
#endif

struct maker {
	struct rules *rules;
	uint64_t delta;		       /* file offset minus address, of the current function */
	uint64_t reached;	       /* file offset at which the function before it ended */
	uint16_t rule;		       /* the rule after the last row */
	struct known known[KNOWN_MAX]; /* by their starts */
	size_t n_known;
	struct table_count count;
	/* The page that is being made. */
	uint32_t page;
	struct unwind_row rows[TABLE_PAGE_MAX];
	size_t n; /* 0: there is none yet */
	const struct table_taker *taker;
	uint32_t steps;
	uint64_t n_all; /* rows of all pages */
	int ret;	/* not 0: the work has ended */
};

/* Pages and functions that are made between two looks whether to stop. */
#define STEPS 64

static int step(struct maker *maker)
{
	const struct table_taker *taker = maker->taker;

	return ++maker->steps % STEPS || !taker->should_stop || !taker->should_stop(taker->stop_ctx) ? 0 : -EINTR;
}

static void end_page(struct maker *maker)
{
	if (!maker->n || maker->ret)
		return;
	maker->n_all += maker->n;
	maker->ret = maker->n_all > TABLE_ROWS_MAX ? -EFBIG : step(maker);
	if (!maker->ret)
		maker->ret = maker->taker->page(maker->taker->ctx, maker->page, maker->rows, maker->n);
}

/* Begins a page. Its first row repeats the rule that applies there. */
static void begin_page(struct maker *maker, uint32_t page)
{
	end_page(maker);
	maker->page = page;
	maker->rows[0] = (struct unwind_row){ .place = 0, .rule = maker->rule };
	maker->n = 1;
}

/* Begins pages up to this one. Each page of text that a rule covers exists, even if the rule begins far before it. */
static void go_to_page(struct maker *maker, uint32_t page)
{
	uint32_t next = maker->n ? maker->page + 1 : page;

	/* No rule applies to the text in between: it needs no pages. */
	if (maker->rule == UNWIND_RULE_NONE && next < page)
		next = page;
	for (; next <= page && !maker->ret; next++)
		begin_page(maker, next);
}

static void add_row(struct maker *maker, uint64_t offset, uint16_t rule)
{
	struct unwind_row *last;

	if (rule == maker->rule || maker->ret)
		return;
	go_to_page(maker, offset >> UNWIND_PAGE_SHIFT);
	maker->rule = rule;
	last = &maker->rows[maker->n - 1];
	if (last->place == offset % PAGE_SIZE)
		last->rule = rule;
	else
		maker->rows[maker->n++] = (struct unwind_row){ .place = offset % PAGE_SIZE, .rule = rule };
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

/* No rule applies between two functions, unless it is known otherwise. Mostly there is nothing between them. */
static void add_gap(struct maker *maker, uint64_t end)
{
	add_row(maker, maker->reached, UNWIND_RULE_NONE);
	for (size_t i = 0; i < maker->n_known; i++) {
		const struct known *known = &maker->known[i];

		if (known->start < maker->reached || known->start >= end)
			continue;
		add_row(maker, known->start, known->rule);
		maker->reached = known->end < end ? known->end : end;
		add_row(maker, maker->reached, UNWIND_RULE_NONE);
	}
}

static void add_function(struct maker *maker, const struct cfi_fde *fde)
{
	if (fde->start + maker->delta != maker->reached)
		add_gap(maker, fde->start + maker->delta);
	maker->count.damaged += cfi_run(&MACHINE, fde, on_row, maker) < 0;
	maker->count.functions++;
	maker->reached = fde->end + maker->delta;
}

static void add_functions(struct maker *maker, struct binary *binary, struct eh_frame *frame)
{
	struct cfi_fde fde;

	while (!maker->ret && eh_frame_next(frame, &fde)) {
		if (find_place(maker, binary, &fde))
			add_function(maker, &fde);
		else
			maker->count.damaged++;
		if (!maker->ret)
			maker->ret = step(maker);
	}
	add_gap(maker, UINT64_MAX);
	end_page(maker);
	maker->count.damaged += frame->damaged;
}

static void add_known(struct maker *maker, uint64_t start, uint64_t end, const struct unwind_rule *rule)
{
	size_t at = maker->n_known;

	if (at == KNOWN_MAX || start >= end || end > TEXT_MAX)
		return;
	for (; at && maker->known[at - 1].start > start; at--)
		maker->known[at] = maker->known[at - 1];
	maker->known[at] = (struct known){ start, end, rules_number(maker->rules, rule) };
	maker->n_known++;
}

/*
 * Stubs of the PLT leave the stack as it was when they were called. Those that the loader binds push a number (x86-64,
 * from byte 11 on) and then jump to the first part, which pushes another one.
 */
static void add_known_plt(struct maker *maker, const struct binary_plt *plt)
{
#if defined(__x86_64__)
#define RA .ra = UNWIND_AT_CFA, .ra_offset = -1
	enum {
		FIRST_PUSH = 6,
		FIRST_SIZE = 16,
		STUB_PUSH = 11
	};
	const struct unwind_rule before = { .cfa = UNWIND_CFA_SP, .offset = 16, RA };
	const struct unwind_rule pushed = { .cfa = UNWIND_CFA_SP, .offset = 24, RA };
	const struct unwind_rule stub = { .cfa = UNWIND_CFA_PLT, .offset = 8, .add = STUB_PUSH, RA };
	const struct unwind_rule bound = { .cfa = UNWIND_CFA_SP, .offset = 8, RA };
#else
#define RA .ra = UNWIND_SAME
	enum {
		FIRST_PUSH = 4,
		FIRST_SIZE = 32
	};
	const struct unwind_rule before = { .cfa = UNWIND_CFA_SP, RA }, stub = before, bound = before;
	const struct unwind_rule pushed = { .cfa = UNWIND_CFA_SP, .offset = 16, .ra = UNWIND_AT_CFA, .ra_offset = -1 };
#endif
	if (!plt->lazy) {
		add_known(maker, plt->start, plt->end, &bound);
		return;
	}
	add_known(maker, plt->start, plt->start + FIRST_PUSH, &before);
	add_known(maker, plt->start + FIRST_PUSH, plt->start + FIRST_SIZE, &pushed);
	add_known(maker, plt->start + FIRST_SIZE, plt->end, &stub);
#undef RA
}

static void find_known(struct maker *maker, struct binary *binary)
{
	static const struct unwind_rule root = { .cfa = UNWIND_CFA_ROOT };
	struct binary_plt plts[4];
	uint64_t entry;

	if (!binary_offset_of(binary, binary_entry(binary), true, &entry) && entry < TEXT_MAX)
		add_known(maker, entry, entry + ENTRY_SIZE, &root);
	for (size_t n = binary_plts(binary, plts, ARRAY_SIZE(plts)), i = 0; i < n; i++)
		add_known_plt(maker, &plts[i]);
}

int table_make(struct binary *binary, struct rules *rules, const struct table_taker *taker, struct table_count *count)
{
	__cleanup(eh_frame_release) struct eh_frame frame = { .should_stop = taker->should_stop, .ctx = taker->stop_ctx };
	struct maker *maker __free = base_alloc(sizeof(*maker));
	int ret = eh_frame_open(&frame, binary);

	if (ret)
		return ret;
	maker->rules = rules;
	maker->taker = taker;
	maker->rule = UNWIND_RULE_NONE;
	find_known(maker, binary);
	add_functions(maker, binary, &frame);
	if (count)
		*count = maker->count;
	if (maker->ret)
		return maker->ret;
	return maker->count.functions ? 0 : -ENODATA;
}
