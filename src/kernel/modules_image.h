/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Within kernel/: the ELF symbol tables of the kernel's modules, copied out of its memory (kernel/module/kallsyms.c).
 */
#ifndef SONDE_KERNEL_MODULES_IMAGE_H
#define SONDE_KERNEL_MODULES_IMAGE_H

#include <elf.h>

#include "memory.h"

struct module_image {
	char name[56];
	Elf64_Sym *symbols;
	uint32_t n;
	char *types; /* of each, as nm(1) names it */
	char *strings;
	uint64_t start, end; /* of its code; end 0: not known */
};

struct modules_image {
	vec(struct module_image);
};

/*
 * Into one that is {}, from the head of the list of modules. -errno also where a module comes or goes meanwhile.
 * Release it in either case.
 */
int modules_image_read(struct modules_image *modules, const struct memory *memory, uint64_t list);
void modules_image_release(struct modules_image *modules);

/*
 * fn gets each symbol, type as nm(1) names it, in the order of the tables. Stops and returns what fn returned when
 * that is not 0.
 */
typedef int (*module_symbol_fn)(const struct ksym *sym, char type, void *ctx);
int modules_image_each(const struct modules_image *modules, module_symbol_fn fn, void *ctx);

#endif
