/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory of another process, or what a test has in its place. What is read there is foreign: it may be anything. */
#ifndef SONDE_INTERP_PEEK_H
#define SONDE_INTERP_PEEK_H

#include <sys/types.h>

#include "base/base.h"

struct peek {
	/* Copies at most n bytes from an address, and returns how many; 0: none. */
	size_t (*read)(void *ctx, uint64_t at, void *to, size_t n);
	void *ctx;
};

/* The memory of a process, whose id is *pid: it is read by process_vm_readv(2), and the process is not stopped. */
struct peek peek_at(pid_t *pid);

/* A process that is read again and again: which of its pages are there, is open. Initialise with { .pagemap = -1 }. */
struct peek_process {
	pid_t pid;
	int pagemap;
};

/* The memory of a process, valid until *process is used for another one. peek_end() closes it. */
struct peek peek_keep(struct peek_process *process, pid_t pid);
void peek_end(struct peek_process *process);
/* Copies n bytes. False: not all of them can be read. */
bool peek_copy(const struct peek *peek, uint64_t at, void *to, size_t n);

#endif
