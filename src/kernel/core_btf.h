/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's BTF cut down to what one BPF object relocates against (CO-RE), for libbpf to read in the
 * place of all of it: a few KB instead of 5 MB, made in 1 ms where libbpf's own reading and searching takes 10.
 *
 * core_object.h opens objects with it. libbpf reads it when it prepares or loads the object; then it may be released.
 *
 * What is in it: every struct, union, enum and typedef of the kernel that has the name (but for the flavor,
 * "___x") of one in the object's own BTF, and of these the members and values whose names occur there.
 * That serves relocations of fields (also bit-fields, in nested, unnamed or array members),
 * whether a field, type or value exists, a type's size, an enum's values. It does not serve
 * bpf_core_type_id_kernel() and bpf_core_type_matches(), nor typedefs of pointers and functions as types of
 * their own, nor modules' types, nor what libbpf itself needs all BTF for: fentry, tp_btf, typed ksyms, struct_ops.
 */
#ifndef SONDE_CORE_BTF_H
#define SONDE_CORE_BTF_H

#include "base/base.h"

struct core_btf {
	char path[32]; /* "" none */
	int fd;
};

/* Whether an object has relocations against the kernel's types, by its ELF bytes. */
bool core_btf_is_needed(const void *elf, size_t size);
/* From an object's ELF bytes and the running kernel. On error btf is unchanged. */
int core_btf_make(struct core_btf *btf, const void *elf, size_t size, struct err *err);
void core_btf_release(struct core_btf *btf);

#endif
