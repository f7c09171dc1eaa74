/* SPDX-License-Identifier: BSD-2-Clause */
/* For inventory*.c only. */
#ifndef SONDE_TRACES_INVENTORY_PART_H
#define SONDE_TRACES_INVENTORY_PART_H

#include "inventory.h"

/* Appends an item that is set and refers to no event. The text `file` is not copied. */
struct trace_item *inventory_add(struct traces *traces, enum trace_kind kind, size_t instance, const char *file);
/* Reads the processes, unless that was done before. */
void inventory_know_processes(struct traces *traces);
/* Adds the pins of every bpffs as items, with their owners. */
void inventory_read_pins(struct traces *traces);
/* True if a process that has this file of tracefs open takes records out of the ring buffer. */
bool inventory_is_for_readers(const char *file);
/* Sets the reader of each instance. */
void inventory_find_readers(struct traces *traces);

#endif
