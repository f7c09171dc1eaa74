/* SPDX-License-Identifier: BSD-2-Clause */
/* Within kernel/: functions with their names and modules, found by address once the list is sorted. */
#ifndef SONDE_KERNEL_KSYM_LIST_H
#define SONDE_KERNEL_KSYM_LIST_H

#include "kernel.h"

/* 16 bytes each: there may be 150,000. */
struct ksym_entry {
	uint64_t addr;
	uint32_t name;	 /* offset in names; 0: something else than a function begins here */
	uint32_t module; /* index in modules + 1, 0: the kernel proper */
};

struct ksym_module {
	char name[56];
	uint64_t start, end; /* of its code; end 0: not known */
};

/* Initialise with {}. */
struct ksym_list {
	vec(struct ksym_entry);
	bool unsorted; /* an entry was added behind one with a higher address */
	vec(struct ksym_module) modules;
	vec(char) names;
};

void ksym_list_release(struct ksym_list *list);

/*
 * Adds a function, or, where function is false, the end of what is before. Symbols of one module must follow each
 * other. The strings are copied.
 */
void ksym_list_add(struct ksym_list *list, const struct ksym *sym, bool function);
/* The code of a module that has symbols in the list. */
void ksym_list_set_module(struct ksym_list *list, const char *module, uint64_t start, uint64_t end);

/* fn gets each function, in the list's order. Stops and returns what fn returned when that is not 0. */
int ksym_list_each(const struct ksym_list *list, ksym_fn fn, void *ctx);
/* Sorts by address. Symbols of one address keep their order. */
void ksym_list_sort(struct ksym_list *list);
/* As kernel_symbol_at(), of a sorted list: 0, -ENOENT, -EPERM. */
int ksym_list_at(const struct ksym_list *list, uint64_t addr, struct ksym_place *place);

#endif
