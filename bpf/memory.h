/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For copying the memory of the kernel: the size of a copy, and the layout of structs that user space reads. Shared
 * by both sides.
 */
#ifndef SONDE_BPF_MEMORY_H
#define SONDE_BPF_MEMORY_H

/* How many bytes one run copies at most. */
#define MEMORY_WINDOW 65536

/* Offsets and sizes in the structs of the running kernel, in bytes; 0 for a struct that it lacks. */
struct memory_layout {
	unsigned int record_size, record_ip;				      /* struct dyn_ftrace */
	unsigned int page_next, page_records, page_index;		      /* struct ftrace_page */
	unsigned int module_list, module_state, module_name, module_kallsyms; /* struct module */
	unsigned int module_text, module_text_size;			      /* struct module: a pointer, and an unsigned int of bytes */
	unsigned int symtab, num_symtab, strtab, typetab;		      /* struct mod_kallsyms */
	unsigned int ksym_list, ksym_start, ksym_end, ksym_name;	      /* struct bpf_ksym */
};
_Static_assert(sizeof(struct memory_layout) == 76, "as on the other side");

#endif
