/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Within engines/: what the syscall programs (bpf/syscalls.bpf.c) have counted since they were attached. Counters only
 * grow; what is new since an earlier reading is the difference.
 */
#ifndef SONDE_ENGINES_SYSCALLS_COUNTS_H
#define SONDE_ENGINES_SYSCALLS_COUNTS_H

#include "attach/shards.h"
#include "engine/object.h"
#include "syscalls.h"

/* Rows in the order of their keys. Initialise with {}; v is the owner's to free. The functions add to an empty one. */
struct syscalls_counts {
	vec(struct syscalls_row);
};

/* Of one number of bpf/syscalls.h, from all shards. */
struct syscalls_row syscalls_counts_sum(const struct object *object, const struct shards *shards, size_t place);
/* A row for each call that was counted. Those of 32-bit programs have other numbers: SYSCALLS_COMPAT is left out. */
void syscalls_counts_by_number(struct syscalls_counts *counts, const struct object *object,
			       const struct shards *shards);
/*
 * A row for each process. keys: how many the map has room for. make_room: where half of them are taken, processes
 * that are gone leave the map, and their rows are marked so. -errno where the map cannot be read.
 */
int syscalls_counts_by_process(struct syscalls_counts *counts, const struct object *object, uint32_t keys,
			       bool make_room);
/*
 * What was added between two readings: n rows that are not zero, in the order of keys. rows has room for all of now.
 * Returns n.
 */
size_t syscalls_counts_added(struct syscalls_row *rows, const struct syscalls_counts *now,
			     const struct syscalls_counts *before);
/* Removes the rows of processes that are gone: another one with the same id begins with 0. */
void syscalls_counts_forget_gone(struct syscalls_counts *counts);

#endif
