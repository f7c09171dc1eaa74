/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For kernel/ alone: copies the memory of the kernel to user space with a BPF program. Knows nothing of its
 * contents. Needs the same privileges as tracing with BPF.
 */
#ifndef SONDE_KERNEL_MEMORY_H
#define SONDE_KERNEL_MEMORY_H

#include "bpf/memory.h"
#include "kernel.h"

struct memory {
	/* Copies at most MEMORY_WINDOW bytes: 0 or -errno. Tests put another function here. */
	int (*copy)(const struct memory *memory, uint64_t addr, void *to, size_t n);
	struct memory_layout layout; /* offsets of members of the kernel's structs, in bytes */
	/* address of the variable vmcoreinfo_data; 0: unknown, before Linux 5.16 or because addresses are hidden */
	uint64_t vmcoreinfo;
	struct memory_programs *programs; /* NULL in tests */
};

/* Where in the memory its readers begin: variables of the kernel, 0 where no symbol names them. */
struct memory_places {
	uint64_t modules;	     /* the head of the list of modules */
	uint64_t ftrace_pages_start; /* a pointer to the first page of ftrace's records */
	uint64_t bpf_kallsyms;	     /* the head of the list of BPF programs; only from text */
};

/* Keeps the address of a symbol that names one of them. */
void memory_places_take(struct memory_places *places, const struct ksym *sym);

/* Loads the program. The caller closes the result with memory_close(). NULL: failed, errno says why. */
struct memory *memory_open(void);
/* Frees *memory and sets it to NULL; NULL is allowed. */
void memory_close(struct memory **memory);

/* Copies n bytes from a kernel address. -errno: not all can be read; to may be partly written. */
int memory_copy(const struct memory *memory, uint64_t addr, void *to, size_t n);
/*
 * Copies into a new block, *to, which the caller frees also after an error. n may come from the memory of the
 * kernel and be nonsense: -ENOMEM if it is too large.
 */
int memory_take(const struct memory *memory, uint64_t addr, size_t n, void **to);

#endif
