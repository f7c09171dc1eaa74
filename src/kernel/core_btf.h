/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes the part of the kernel's BTF against which one BPF object relocates (CO-RE). libbpf reads this part instead
 * of the whole: a few KB instead of 5 MB, made in 1 ms, while libbpf takes 10 ms to read and search the whole.
 *
 * core_object.h opens objects with it. libbpf reads the part when it prepares or loads the object; then it may be
 * released.
 *
 * The part holds every struct, union, enum and typedef of the kernel whose name is also in the BTF of the object
 * (apart from the flavor, "___x"), and of these the members and values whose names are there, too. That is enough
 * for relocations of fields (bit-fields, nested, unnamed and array members included), for the existence of a field,
 * type or value, for the size of a type and the values of an enum.
 * It is not enough for bpf_core_type_id_kernel() and bpf_core_type_matches(), for typedefs of pointers and
 * functions as types of their own, for types of modules, and for what needs the whole BTF in libbpf: fentry,
 * tp_btf, typed ksyms, struct_ops.
 */
#ifndef SONDE_KERNEL_CORE_BTF_H
#define SONDE_KERNEL_CORE_BTF_H

#include "base/base.h"

struct core_btf {
	char path[32]; /* of a file in memory, by its descriptor; "": none */
	int fd;
};

/* Whether an object, given as size bytes of ELF, has relocations against the kernel's types. False if it is no ELF. */
bool core_btf_is_needed(const void *elf, size_t size);
/* Removes these relocations from an object, given as size bytes of ELF that may be written. */
void core_btf_drop_relocations(void *elf, size_t size);
/*
 * Makes the part for an object, given as size bytes of ELF that are needed during the call only. The caller
 * releases btf. On error btf is unchanged: -errno if the kernel has no BTF or the object cannot be read, -ELOOP for
 * BTF that contains itself.
 */
int core_btf_make(struct core_btf *btf, const void *elf, size_t size, struct err *err);
/* Closes the file. Harmless if btf is {}. */
void core_btf_release(struct core_btf *btf);

#endif
