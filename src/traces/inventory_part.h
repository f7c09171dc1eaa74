/* SPDX-License-Identifier: BSD-2-Clause */
/* Within inventory*.c. */
#ifndef SONDE_TRACES_INVENTORY_PART_H
#define SONDE_TRACES_INVENTORY_PART_H

#include "inventory.h"

/* A new last item, set, of no event. file is kept by pointer. */
struct trace_item *inventory_add(struct traces *traces, enum trace_kind kind, size_t instance, const char *file);
/* Reads processes, once. */
void inventory_know_processes(struct traces *traces);
/* The pins of every bpffs, and whose they are. */
void inventory_read_pins(struct traces *traces);
/* A file of tracefs by its path: who has it open takes away what is recorded. */
bool inventory_is_for_readers(const char *file);
/* Of each instance. */
void inventory_find_readers(struct traces *traces);

#endif
