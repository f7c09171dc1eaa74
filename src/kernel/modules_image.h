/* SPDX-License-Identifier: BSD-2-Clause */
/* Within kernel/: the symbols of the kernel's modules, out of its memory (kernel/module/kallsyms.c): ELF symbol tables. */
#ifndef SONDE_MODULES_IMAGE_H
#define SONDE_MODULES_IMAGE_H

#include <elf.h>

#include "memory.h"

struct module_image {
	char name[56];
	Elf64_Sym *symbols;
	uint32_t n;
	char *types; /* of each, as nm(1) has it */
	char *strings;
};

struct modules_image {
	struct module_image *v;
	size_t n, cap;
};

/* Of one that is {}, from where their list begins. To be released even after an error: one may have come or gone meanwhile. */
int modules_image_read(struct modules_image *modules, const struct memory *memory, uint64_t list);
void modules_image_release(struct modules_image *modules);

/* type as nm(1) has it. */
typedef int (*kallsyms_fn)(const struct ksym *sym, char type, void *ctx);

/* Stops and returns what fn returned when that is not 0. */
int modules_image_each(const struct modules_image *modules, kallsyms_fn fn, void *ctx);

#endif
