// SPDX-License-Identifier: BSD-2-Clause
/*
 * kernel/trace/ftrace.c: a list of pages, each with an array of records. To list the same by name takes the kernel
 * 270 M instructions (6.12), for it looks up the name of each.
 */
#include <fcntl.h>

#include "ftrace_records.h"

/* More than any kernel has: memory that is not, or no longer, pages and records could be read for ever. */
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

	if (!ret)
		ret = memory_copy(memory, at + layout->page_records, &page->records, sizeof(page->records));
	if (!ret)
		ret = memory_copy(memory, at + layout->page_index, &page->n, sizeof(page->n));
	return !ret && page->n > MAX_RECORDS ? -EINVAL : ret;
}

/* The address is 0 where the linker has removed the function. */
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

/* Does ftrace report the same number? */
static bool are_all(unsigned long n)
{
	__close int fd = openat(kernel_tracefs(), "dyn_ftrace_total_info", O_RDONLY | O_CLOEXEC);
	char text[32] = "";

	return fd >= 0 && read(fd, text, sizeof(text) - 1) > 0 && strtoul(text, NULL, 10) == n;
}

int ftrace_records_each(const struct memory *memory, uint64_t at, void (*fn)(uint64_t addr, void *ctx), void *ctx)
{
	unsigned long n = 0, n_pages = 0;
	struct page page = {};
	int ret = memory->layout.record_size < sizeof(uint64_t) + memory->layout.record_ip ? -ENOENT : 0;

	if (!ret)
		ret = memory_copy(memory, at, &page.next, sizeof(page.next));
	while (!ret && page.next) {
		ret = read_page(memory, page.next, &page);
		if (!ret)
			ret = offer_page(memory, &page, fn, ctx);
		n += page.n;
		if (n > MAX_RECORDS || ++n_pages > MAX_PAGES)
			ret = -EINVAL;
	}
	return ret || are_all(n) ? ret : -EAGAIN;
}
