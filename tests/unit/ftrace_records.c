// SPDX-License-Identifier: BSD-2-Clause
/* ftrace's pages of records, in memory that the test makes. */
#include "kernel_fixture.h"
#include "memory_fixture.h"
#include "kernel/ftrace_records.h"

TestSuite(ftrace_records, .init = fixture_init, .fini = fixture_fini);

/* Addresses in that memory. */
enum {
	FIRST_AT = 0x100,
	PAGE_AT = 0x200,
	NEXT_AT = 0x300,
	RECORDS_AT = 0x400,
};

static struct memory memory = {
	.copy = arena_copy,
	.layout = { .record_size = 16, .record_ip = 8, .page_next = 0, .page_records = 8, .page_index = 16 },
};

static void put_page(size_t at, uint64_t next, uint64_t records, uint32_t n)
{
	put_u64(at, next);
	put_u64(at + 8, records);
	put(at + 16, &n, sizeof(n));
}

/* Two pages: one with two records, one with a record that is skipped. */
static void put_all(void)
{
	put_u64(FIRST_AT, BASE + PAGE_AT);
	put_page(PAGE_AT, BASE + NEXT_AT, BASE + RECORDS_AT, 2);
	put_page(NEXT_AT, 0, BASE + RECORDS_AT + 32, 1);
	put_u64(RECORDS_AT + 8, 0x111);
	put_u64(RECORDS_AT + 24, 0x222);
	fixture_file("/sys/kernel/tracing/dyn_ftrace_total_info", "3 pages:1 groups: 1\n");
}

static void add(uint64_t addr, void *ctx)
{
	*(uint64_t *)ctx += addr;
}

static int read_records(uint64_t *sum)
{
	*sum = 0;
	return ftrace_records_each(&memory, BASE + FIRST_AT, add, sum);
}

Test(ftrace_records, of_all_pages)
{
	uint64_t sum;

	put_all();
	cr_expect_eq(read_records(&sum), 0);
	cr_expect_eq(sum, 0x333);
}

static void refused(const char *what, int error)
{
	uint64_t sum;

	cr_expect_eq(read_records(&sum), error, "%s", what);
	put_all();
}

/* A page that was freed meanwhile may hold anything. */
Test(ftrace_records, what_is_no_page)
{
	put_all();
	put_page(NEXT_AT, 0, 0, 1);
	refused("no records", -EFAULT);
	put_page(NEXT_AT, 1, BASE + RECORDS_AT, 1);
	refused("no page", -EFAULT);
	put_page(NEXT_AT, 0, BASE + RECORDS_AT, UINT32_MAX);
	refused("too many records", -EINVAL);
	put_page(NEXT_AT, BASE + NEXT_AT, 0, 0);
	refused("a list without an end", -EINVAL);
	put_page(NEXT_AT, 0, BASE + RECORDS_AT, 0);
	refused("not all", -EAGAIN);
	memory.layout.record_size = 0;
	refused("a kernel without ftrace", -ENOENT);
}
