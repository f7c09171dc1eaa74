// SPDX-License-Identifier: BSD-2-Clause
/*
 * ftrace's own records of what it can trace (kernel/trace/ftrace.c: a list of pages, each with an array of records),
 * copied out by a BPF program. To list the same by name takes the kernel 270 M instructions (6.12), for it
 * looks for the name of each.
 */
#include <bpf/bpf.h>

#include "bpf/records.h"
#include "bpf/records.skel.h"
#include "core_btf.h"
#include "kernel_files.h"

struct records {
	struct records_bpf *bpf;
	void (*fn)(uint64_t addr, void *ctx);
	void *ctx;
	unsigned long n;
};

static void records_release(struct records *records)
{
	records_bpf__destroy(records->bpf);
}

static int load(struct records_bpf **bpf)
{
	__cleanup(core_btf_release) struct core_btf btf = {};
	LIBBPF_OPTS(bpf_object_open_opts, opts, .btf_custom_path = btf.path);
	struct err err;
	size_t size;
	const void *elf = records_bpf__elf_bytes(&size);
	int ret = core_btf_make(&btf, elf, size, &err);

	if (ret)
		return ret;
	*bpf = records_bpf__open_opts(&opts);
	return *bpf ? records_bpf__load(*bpf) : -errno;
}

static int step(const struct records_bpf *bpf, uint64_t at, uint64_t from)
{
	__u64 args[] = { at, from };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = args, .ctx_size_in = sizeof(args));
	int ret = bpf_prog_test_run_opts(bpf_program__fd(bpf->progs.records_read), &opts);

	return ret ? ret : (int)opts.retval;
}

/* One with address 0 is of a function that has been left out of the kernel. */
static unsigned int offer_window(struct records *records, const struct records_step *found)
{
	const uint8_t *record = records->bpf->bss->records_window;
	unsigned int room = RECORDS_WINDOW / found->size, n = found->n < room ? found->n : room;

	for (unsigned int i = 0; i < n; i++, record += found->size) {
		uint64_t addr = *(const unsigned long *)(record + found->ip);

		if (addr)
			records->fn(addr, records->ctx);
	}
	records->n += n;
	return n;
}

static int each_page(struct records *records, uint64_t at)
{
	const struct records_step *found = &records->bpf->bss->records_step;
	uint64_t from = 0;

	for (;;) {
		int ret = step(records->bpf, at, from);

		if (ret || !found->next)
			return ret;
		if (found->size < sizeof(long) || found->size > RECORDS_WINDOW || found->ip > found->size - sizeof(long))
			return -EINVAL;
		if (found->n > offer_window(records, found)) {
			from += RECORDS_WINDOW / found->size;
		} else {
			at = found->next;
			from = 0;
		}
	}
}

/* As many as ftrace says that there are? A module may have come or gone meanwhile. */
static bool are_all(unsigned long n)
{
	__close int fd = openat(kernel_tracefs(), "dyn_ftrace_total_info", O_RDONLY | O_CLOEXEC);
	char text[32] = "";

	return fd >= 0 && read(fd, text, sizeof(text) - 1) > 0 && strtoul(text, NULL, 10) == n;
}

int kernel_each_record(uint64_t at, void (*fn)(uint64_t addr, void *ctx), void *ctx, struct err *err)
{
	__cleanup(records_release) struct records records = { .fn = fn, .ctx = ctx };
	int ret = at && kernel_is_real() ? load(&records.bpf) : -ENOENT;

	ret = ret ? ret : each_page(&records, at);
	if (!ret && !are_all(records.n))
		ret = -EAGAIN;
	return ret ? err_set(err, ret, "cannot read ftrace's records: %s", strerror(-ret)) : 0;
}
