/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Within symbols/: the kernel's memory, which a BPF program copies out. What is in it is others' to know. Needs
 * what all tracing by BPF needs.
 */
#ifndef SONDE_SYMBOLS_MEMORY_H
#define SONDE_SYMBOLS_MEMORY_H

#include "bpf/memory.h"
#include "kernel.h"

/* The caller's, for memory_close(); NULL with errno. */
struct memory_bpf *memory_open(void);
void memory_close(struct memory_bpf **memory);

/* n bytes, all or -errno: -EFAULT where nothing is. */
int memory_copy(const struct memory_bpf *memory, uint64_t addr, void *to, size_t n);
const struct memory_layout *memory_layout(const struct memory_bpf *memory);

/* Where the kernel keeps vmcoreinfo_data, or 0: before Linux 5.16, or where addresses are hidden. */
uint64_t memory_vmcoreinfo(const struct memory_bpf *memory);

#endif
