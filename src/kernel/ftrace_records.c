// SPDX-License-Identifier: BSD-2-Clause
/*
 * Reads ftrace's records of the functions that it can trace from the memory of the kernel (kernel/trace/ftrace.c: a
 * list of pages, each with an array of records). The same list from tracefs takes the kernel 270 M instructions
 * (6.12), because it looks up the name of each function.
 */
#include "kernel_files.h"
#include "memory.h"

/*
 * More than any kernel has. Without a bound, memory that holds no pages and records (any more) could be read
 * forever.
 */
#define MAX_RECORDS (1 << 24)
#define MAX_PAGES   (1 << 16)

struct page {
	uint64_t next, records;
	uint32_t n;
};

static int read_page(const struct memory *memory, uint64_t at, struct page *page)
{
	const struct memory_layout *layout = &memory->layout;
	int ret = memory_copy(memory, at + layout->page_next, &page->next, sizeof(page->next));

	ret = ret ? ret : memory_copy(memory, at + layout->page_records, &page->records, sizeof(page->records));
	ret = ret ? ret : memory_copy(memory, at + layout->page_index, &page->n, sizeof(page->n));
	return !ret && page->n > MAX_RECORDS ? -EINVAL : ret;
}

/* Skips records with address 0: their functions were removed from the kernel. */
static int offer_page(const struct memory *memory, const struct page *page, void (*fn)(uint64_t addr, void *ctx), void *ctx)
{
	const struct memory_layout *layout = &memory->layout;
	__free void *records = NULL;
	int ret = memory_take(memory, page->records, (size_t)page->n * layout->record_size, &records);

	for (uint32_t i = 0; !ret && i < page->n; i++) {
		uint64_t addr;

		memcpy(&addr, (char *)records + (size_t)i * layout->record_size + layout->record_ip, sizeof(addr));
		if (addr)
			fn(addr, ctx);
	}
	return ret;
}

/* Whether n is the number of records that ftrace reports. It is not if a module came or went meanwhile. */
static bool are_all(unsigned long n)
{
	__close int fd = openat(kernel_tracefs(), "dyn_ftrace_total_info", O_RDONLY | O_CLOEXEC);
	char text[32] = "";

	return fd >= 0 && read(fd, text, sizeof(text) - 1) > 0 && strtoul(text, NULL, 10) == n;
}

static int each_page(const struct memory *memory, uint64_t at, void (*fn)(uint64_t addr, void *ctx), void *ctx)
{
	unsigned long n = 0, n_pages = 0;
	struct page page = {};
	int ret = memory_copy(memory, at, &page.next, sizeof(page.next));

	while (!ret && page.next) {
		ret = read_page(memory, page.next, &page);
		ret = ret ? ret : offer_page(memory, &page, fn, ctx);
		n += page.n;
		if (n > MAX_RECORDS || ++n_pages > MAX_PAGES)
			ret = -EINVAL;
	}
	return ret || are_all(n) ? ret : -EAGAIN;
}

int kernel_each_record(const struct kernel_records *records, void (*fn)(uint64_t addr, void *ctx), void *ctx, struct err *err)
{
	const struct memory *memory = records->memory;
	int ret = -ENOENT;

	if (records->at && memory && memory->layout.record_size >= sizeof(uint64_t) + memory->layout.record_ip)
		ret = each_page(memory, records->at, fn, ctx);
	return ret ? err_set(err, ret, "cannot read ftrace's records: %s", strerror(-ret)) : 0;
}

void kernel_records_release(struct kernel_records *records)
{
	memory_close(&records->memory);
}
