// SPDX-License-Identifier: BSD-2-Clause
/*
 * ftrace's own records of what it can trace (kernel/trace/ftrace.c: a list of pages, each with an array of records),
 * out of the kernel's memory. To list the same by name takes the kernel 270 M instructions (6.12), for it
 * looks for the name of each.
 */
#include "kernel_files.h"
#include "memory.h"

/* More than any kernel has: what is not records would be read for ever. */
#define MAX_RECORDS (1 << 24)

struct page {
	uint64_t next, records;
	uint32_t n;
};

static int read_page(const struct memory_bpf *memory, uint64_t at, struct page *page)
{
	const struct memory_layout *layout = memory_layout(memory);
	int ret = memory_copy(memory, at + layout->page_next, &page->next, sizeof(page->next));

	ret = ret ? ret : memory_copy(memory, at + layout->page_records, &page->records, sizeof(page->records));
	ret = ret ? ret : memory_copy(memory, at + layout->page_index, &page->n, sizeof(page->n));
	return !ret && page->n > MAX_RECORDS ? -EINVAL : ret;
}

/* One with address 0 is of a function that has been left out of the kernel. */
static int offer_page(const struct memory_bpf *memory, const struct page *page, void (*fn)(uint64_t addr, void *ctx), void *ctx)
{
	const struct memory_layout *layout = memory_layout(memory);
	__free char *records = base_alloc((size_t)page->n * layout->record_size);
	int ret = memory_copy(memory, page->records, records, (size_t)page->n * layout->record_size);

	for (uint32_t i = 0; !ret && i < page->n; i++) {
		uint64_t addr = *(uint64_t *)(records + (size_t)i * layout->record_size + layout->record_ip);

		if (addr)
			fn(addr, ctx);
	}
	return ret;
}

/* As many as ftrace says that there are? A module may have come or gone meanwhile. */
static bool are_all(unsigned long n)
{
	__close int fd = openat(kernel_tracefs(), "dyn_ftrace_total_info", O_RDONLY | O_CLOEXEC);
	char text[32] = "";

	return fd >= 0 && read(fd, text, sizeof(text) - 1) > 0 && strtoul(text, NULL, 10) == n;
}

static int each_page(const struct memory_bpf *memory, uint64_t at, void (*fn)(uint64_t addr, void *ctx), void *ctx)
{
	struct page page = {};
	unsigned long n = 0;
	int ret = memory_copy(memory, at, &page.next, sizeof(page.next));

	while (!ret && page.next && n <= MAX_RECORDS) {
		ret = read_page(memory, page.next, &page);
		ret = ret ? ret : offer_page(memory, &page, fn, ctx);
		n += page.n;
	}
	return ret || are_all(n) ? ret : -EAGAIN;
}

int kernel_each_record(struct kernel_records *records, void (*fn)(uint64_t addr, void *ctx), void *ctx, struct err *err)
{
	int ret = -ENOENT;

	if (records->at && !records->memory && kernel_is_real())
		records->memory = memory_open();
	if (records->memory)
		ret = each_page(records->memory, records->at, fn, ctx);
	return ret ? err_set(err, ret, "cannot read ftrace's records: %s", strerror(-ret)) : 0;
}

void kernel_records_release(struct kernel_records *records)
{
	memory_close(&records->memory);
}
