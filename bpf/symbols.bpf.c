// SPDX-License-Identifier: BSD-2-Clause
/*
 * The kernel's functions, and what leads to ftrace's records (symbols/kallsyms.c says what for): what /proc/kallsyms has of
 * them, without being printed. An iterator over "ksym", from Linux 6.0; user space gives it that type when it is loaded.
 */
#include "vmlinux/vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include "bpf/symbols.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* Only one reader at a time, the loader. */
struct {
	struct symbols_head head;
	char text[SYMBOLS_NAME + SYMBOLS_MODULE];
} symbols_record;

static __always_inline bool is_wanted(const struct kallsym_iter *symbol)
{
	char type = symbol->type | 0x20;

	if (type == 't' || type == 'w')
		return true;
	return (type == 'b' || type == 'd') && symbol->name[0] == 'f' && symbol->name[1] == 't' && symbol->name[2] == 'r';
}

SEC("raw_tp")
int symbols_next(struct bpf_iter__ksym *ctx)
{
	struct kallsym_iter *symbol = ctx->ksym;
	struct symbols_head *head = &symbols_record.head;
	struct seq_file *seq = ctx->meta->seq;
	__u32 n, m = 0;

	if (!symbol || !is_wanted(symbol))
		return 0;
	n = bpf_probe_read_kernel_str(symbols_record.text, SYMBOLS_NAME, symbol->name);
	if (n > SYMBOLS_NAME)
		return 0;
	if (symbol->module_name[0])
		m = bpf_probe_read_kernel_str(symbols_record.text + n, SYMBOLS_MODULE, symbol->module_name);
	if (m > SYMBOLS_MODULE)
		return 0;
	head->addr = symbol->value;
	head->name = n;
	head->module = m;
	head->type = symbol->type;
	bpf_seq_write(seq, &symbols_record, sizeof(*head) + n + m);
	return 0;
}
