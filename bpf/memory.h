/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel's memory as it is copied out, and where in it is what the loader looks for. Shared by both sides. */
#ifndef SONDE_MEMORY_H
#define SONDE_MEMORY_H

/* What one run copies at most, bytes. */
#define MEMORY_WINDOW 65536

/* Of this kernel's structs: offsets and sizes in bytes; all 0 of a struct that it does not have. */
struct memory_layout {
	unsigned int record_size, record_ip;				      /* struct dyn_ftrace */
	unsigned int page_next, page_records, page_index;		      /* struct ftrace_page */
	unsigned int module_list, module_state, module_name, module_kallsyms; /* struct module */
	unsigned int symtab, num_symtab, strtab, typetab;		      /* struct mod_kallsyms */
};

#endif
