/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Within kernel/: the kernel's memory, which a BPF program copies out. What is in it is others' to know. Needs
 * what all tracing by BPF needs.
 */
#ifndef SONDE_SYMBOLS_MEMORY_H
#define SONDE_SYMBOLS_MEMORY_H

#include "bpf/memory.h"
#include "kernel.h"

struct memory {
	/* A part of at most MEMORY_WINDOW bytes; -errno where it cannot be read. A test has its own. */
	int (*copy)(const struct memory *memory, uint64_t addr, void *to, size_t n);
	struct memory_layout layout;
	uint64_t vmcoreinfo;		  /* where the variable vmcoreinfo_data is; 0: before Linux 5.16, or where addresses are hidden */
	struct memory_programs *programs; /* NULL in a test */
};

/* The caller's, for memory_close(); NULL with errno. */
struct memory *memory_open(void);
void memory_close(struct memory **memory);

/* n bytes, all or -errno. */
int memory_copy(const struct memory *memory, uint64_t addr, void *to, size_t n);
/* The same into memory that the caller frees, also after an error. n is what other memory has said: too much is -ENOMEM. */
int memory_take(const struct memory *memory, uint64_t addr, size_t n, void **to);

#endif
