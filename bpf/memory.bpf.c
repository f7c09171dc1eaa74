// SPDX-License-Identifier: BSD-2-Clause
/*
 * Copies memory of the kernel to user space, which runs the programs (BPF_PROG_TEST_RUN); they are never attached.
 * Reads tables that the kernel would otherwise print line by line, which takes much longer.
 */
#include "vmlinux/vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include "bpf/memory.h"

#define E2BIG 7

char LICENSE[] SEC("license") = "Dual BSD/GPL";

struct memory_layout memory_layout;
__u8 memory_window[MEMORY_WINDOW];

/* Copies args[1] bytes from address args[0] to memory_window. Negative: they cannot be read. */
SEC("raw_tp")
int memory_read(struct bpf_raw_tracepoint_args *ctx)
{
	__u64 n = ctx->args[1];

	if (n > MEMORY_WINDOW)
		return -E2BIG;
	return bpf_probe_read_kernel(memory_window, n, (void *)ctx->args[0]);
}

static __always_inline void describe_records(struct memory_layout *layout)
{
	layout->record_size = bpf_core_type_size(struct dyn_ftrace);
	layout->record_ip = bpf_core_field_offset(struct dyn_ftrace, ip);
	layout->page_next = bpf_core_field_offset(struct ftrace_page, next);
	layout->page_records = bpf_core_field_offset(struct ftrace_page, records);
	layout->page_index = bpf_core_field_offset(struct ftrace_page, index);
}

static __always_inline void describe_modules(struct memory_layout *layout)
{
	layout->module_list = bpf_core_field_offset(struct module, list);
	layout->module_state = bpf_core_field_offset(struct module, state);
	layout->module_name = bpf_core_field_offset(struct module, name);
	layout->module_kallsyms = bpf_core_field_offset(struct module, kallsyms);
	if (bpf_core_field_exists(((struct module___by_type *)0)->mem)) {
		layout->module_text = bpf_core_field_offset(struct module___by_type, mem[0].base);
		layout->module_text_size = bpf_core_field_offset(struct module___by_type, mem[0].size);
	} else if (bpf_core_field_exists(((struct module___one_block *)0)->core_layout)) {
		layout->module_text = bpf_core_field_offset(struct module___one_block, core_layout.base);
		layout->module_text_size = bpf_core_field_offset(struct module___one_block, core_layout.text_size);
	}
	layout->symtab = bpf_core_field_offset(struct mod_kallsyms, symtab);
	layout->num_symtab = bpf_core_field_offset(struct mod_kallsyms, num_symtab);
	layout->strtab = bpf_core_field_offset(struct mod_kallsyms, strtab);
	layout->typetab = bpf_core_field_offset(struct mod_kallsyms, typetab);
}

static __always_inline void describe_bpf(struct memory_layout *layout)
{
	layout->ksym_list = bpf_core_field_offset(struct bpf_ksym, lnode);
	layout->ksym_start = bpf_core_field_offset(struct bpf_ksym, start);
	layout->ksym_end = bpf_core_field_offset(struct bpf_ksym, end);
	layout->ksym_name = bpf_core_field_offset(struct bpf_ksym, name);
}

/* Fills in memory_layout. A kernel may lack ftrace or modules. */
SEC("raw_tp")
int memory_describe(void *ctx)
{
	if (bpf_core_type_exists(struct ftrace_page))
		describe_records(&memory_layout);
	if (bpf_core_field_exists(((struct module *)0)->kallsyms))
		describe_modules(&memory_layout);
	if (bpf_core_type_exists(struct bpf_ksym))
		describe_bpf(&memory_layout);
	return 0;
}

/*
 * Stores the address of the kernel's variable vmcoreinfo_data into the first word of the context. The helper for
 * that exists since Linux 5.16: so this program is loaded apart from the others and uses none of their maps.
 */
SEC("syscall")
int memory_find(__u64 *ctx)
{
	char name[] = "vmcoreinfo_data";
	__u64 addr = 0;
	long ret = bpf_kallsyms_lookup_name(name, sizeof(name), 0, &addr);

	ctx[0] = addr;
	return ret;
}
