/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Within kernel/: code that the kernel has made for BPF: programs, trampolines, dispatchers (struct bpf_ksym of the
 * kernel's include/linux/bpf.h), copied out of its memory. The kernel prints them after all other symbols.
 */
#ifndef SONDE_KERNEL_BPF_KSYMS_H
#define SONDE_KERNEL_BPF_KSYMS_H

#include "base/pool.h"
#include "memory.h"

/* Initialise with {}. */
struct bpf_ksyms {
	struct bpf_ksym {
		uint64_t start, end;
		const char *name;
	} * v; /* sorted, without overlaps */
	size_t n, cap;
	struct pool names;
};

/*
 * Adds what the kernel's list has, from the head of the list. What was read earlier stays, unless other code is there by
 * now. Returns 0, or -errno if the list cannot be read, or changes meanwhile: then some may be missing.
 */
int bpf_ksyms_read(struct bpf_ksyms *ksyms, const struct memory *memory, uint64_t list);
/* As kernel_symbol_at(): 0, -ENOENT. */
int bpf_ksyms_at(const struct bpf_ksyms *ksyms, uint64_t addr, struct ksym_place *place);
void bpf_ksyms_release(struct bpf_ksyms *ksyms);

#endif
