/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For kernel/ alone: reads the symbols of the kernel's modules from its memory. They are ELF symbol tables
 * (kernel/module/kallsyms.c).
 */
#ifndef SONDE_MODULES_IMAGE_H
#define SONDE_MODULES_IMAGE_H

#include <elf.h>

#include "memory.h"

struct module_image {
	char name[56];
	Elf64_Sym *symbols;
	uint32_t n;
	char *types; /* of each symbol, a letter as nm(1) prints it */
	char *strings;
};

struct modules_image {
	struct module_image *v;
	size_t n, cap;
};

/*
 * Reads all modules. list: the kernel address of the head of their list. Initialise modules with {}; the caller
 * releases it also after an error. -EINVAL: not as expected, as a module may have come or gone meanwhile. -ENOENT:
 * the layout is unknown. Else -errno.
 */
int modules_image_read(struct modules_image *modules, const struct memory *memory, uint64_t list);
void modules_image_release(struct modules_image *modules);

/* Called for a symbol, which is valid during the call. type: a letter as nm(1) prints it. */
typedef int (*kallsyms_fn)(const struct ksym *sym, char type, void *ctx);

/* Calls fn for each symbol. A non-zero return of fn ends the walk and is returned. */
int modules_image_each(const struct modules_image *modules, kallsyms_fn fn, void *ctx);

#endif
