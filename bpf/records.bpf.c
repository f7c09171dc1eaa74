// SPDX-License-Identifier: BSD-2-Clause
/*
 * Copies ftrace's records of the functions it can trace: the kernel's own list of them, where each address would be
 * printed with a name that is searched for. Run by the loader (BPF_PROG_TEST_RUN), attached nowhere.
 */
#include "vmlinux/vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include "bpf/records.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

struct records_step records_step;
__u8 records_window[RECORDS_WINDOW];

/* args[0]: where the address of a page is; args[1]: the first of its records that is wanted. Negative: not readable. */
SEC("raw_tp")
int records_read(struct bpf_raw_tracepoint_args *ctx)
{
	__u32 size = bpf_core_type_size(struct dyn_ftrace), room = RECORDS_WINDOW / size, from = ctx->args[1], n;
	struct ftrace_page *page;
	void *records;
	long ret;

	records_step = (struct records_step){ .size = size, .ip = bpf_core_field_offset(struct dyn_ftrace, ip) };
	ret = bpf_probe_read_kernel(&page, sizeof(page), (void *)ctx->args[0]);
	if (ret || !page)
		return ret;
	n = BPF_CORE_READ(page, index);
	if (n < from)
		return -22;
	n -= from;
	records_step.n = n;
	records_step.next = (__u64)page + bpf_core_field_offset(struct ftrace_page, next);
	records = BPF_CORE_READ(page, records);
	if (n > room)
		n = room;
	n *= size;
	if (n > RECORDS_WINDOW)
		return -22;
	return bpf_probe_read_kernel(records_window, n, records + from * size);
}
