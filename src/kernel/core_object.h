/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A BPF object, opened by libbpf with just as much of the kernel's BTF as its relocations need (core_btf.h): none
 * where it has no relocations against the kernel's types (CO-RE).
 *
 *	__cleanup(core_object_release) struct core_object object = {};
 *
 *	ret = core_object_open(&object, elf, size, err);
 *	... bpf_map__set_max_entries(...) and the like, on object.bpf
 *	ret = core_object_prepare(&object);     or core_object_load()
 */
#ifndef SONDE_KERNEL_CORE_OBJECT_H
#define SONDE_KERNEL_CORE_OBJECT_H

#include "core_btf.h"

struct bpf_object;

struct core_object {
	struct bpf_object *bpf; /* NULL: not open */
	struct core_btf btf;	/* until the object is prepared */
	void *own;		/* the ELF file without relocations; NULL: the caller's is used */
};

/* The ELF file's bytes must outlive the object. On error, which err describes, there is nothing to release. */
int core_object_open(struct core_object *object, const void *elf, size_t size, struct err *err);
/*
 * The same without relocations against the kernel's types: no BTF of the kernel is read. Functions of the object that
 * have such relocations must not be loaded.
 */
int core_object_open_untyped(struct core_object *object, const void *elf, size_t size, struct err *err);
/* Creates the maps and relocates the programs, and loads none. 0 or -errno. */
int core_object_prepare(struct core_object *object);
/* The same, and loads the programs. */
int core_object_load(struct core_object *object);
/* Also of an object that is not open. */
void core_object_release(struct core_object *object);

#endif
