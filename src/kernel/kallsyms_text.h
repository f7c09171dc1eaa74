/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Within kernel/: the symbols as the kernel prints them, /proc/kallsyms. It takes the kernel four times as long as to
 * copy its tables (6.12).
 */
#ifndef SONDE_KERNEL_KALLSYMS_TEXT_H
#define SONDE_KERNEL_KALLSYMS_TEXT_H

#include "ksym_list.h"
#include "memory.h"

/*
 * Sets places, which are {} before, and calls fn for each symbol; function is false for data and for the functions of
 * modules that do not exist. Stops and returns what fn returned when that is not 0. -errno with err: cannot be read.
 */
typedef int (*kallsyms_text_fn)(const struct ksym *sym, bool function, void *ctx);
int kallsyms_text_each(struct memory_places *places, kallsyms_text_fn fn, void *ctx, struct err *err);
/* Keeps them in a list that is {}: 0, or -errno with err. The ends of modules are read from /proc/modules. */
int kallsyms_text_read(struct ksym_list *list, struct memory_places *places, struct err *err);

#endif
