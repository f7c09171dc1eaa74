/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For inventory*.c only. inventory_read.c calls the parts, the parts call inventory.c, and inventory_instances.c calls
 * inventory_events.c: there is no other way.
 */
#ifndef SONDE_TRACES_INVENTORY_PART_H
#define SONDE_TRACES_INVENTORY_PART_H

#include "inventory.h"

/* Appends an item that is set and refers to no event. The text `file` is not copied. */
struct trace_item *inventory_add(struct traces *traces, enum trace_kind kind, size_t instance, const char *file);
/* Reads the processes, unless that was done before. */
void inventory_know_processes(struct traces *traces);
/*
 * Reads a file of tracefs. -ENOENT without a message: the kernel lacks the feature. Any other error is a failure, with
 * a message.
 */
int inventory_read_file(const struct traces *traces, const char *file, struct str *text, struct err *err);

/* Adds the dynamic events, sorted by name. They must be the first items. */
int inventory_read_events(struct traces *traces, struct err *err);
/*
 * Returns the index of the first dynamic event of this name, -1 if there is none. The first n items are the dynamic
 * events.
 */
ssize_t inventory_find_event(const struct traces *traces, size_t n, const char *group, const char *name);
/* Counts a user of an event, by its index. Several probes may share the event. */
void inventory_use_event(struct traces *traces, size_t n, size_t event);
/* Finds the instances and adds what is set in them. All items before are dynamic events. */
int inventory_read_instances(struct traces *traces, struct err *err);
/* Adds the pins of every bpffs as items, with their owners. */
void inventory_read_pins(struct traces *traces);
/* Sets the reader of each instance. */
void inventory_find_readers(struct traces *traces);

#endif
