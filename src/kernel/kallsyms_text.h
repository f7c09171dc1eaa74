/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Within kernel/: the symbols as the kernel prints them, /proc/kallsyms. It takes the kernel four times as long as to
 * copy its tables (6.12).
 */
#ifndef SONDE_KALLSYMS_TEXT_H
#define SONDE_KALLSYMS_TEXT_H

#include "ksym_list.h"
#include "memory.h"

/* Into a list and places that are {}: 0, or -errno with err. Modules' ends are read from /proc/modules. */
int kallsyms_text_read(struct ksym_list *list, struct memory_places *places, struct err *err);

#endif
