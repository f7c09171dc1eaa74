// SPDX-License-Identifier: BSD-2-Clause
/* Opens a BPF object, and lends libbpf the cut-down BTF until it has relocated the programs. */
#include <bpf/libbpf.h>

#include "core_object.h"

int core_object_open(struct core_object *object, const void *elf, size_t size, struct err *err)
{
	/* the first part of the names of .bss and .rodata; otherwise it is our address of the bytes */
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = "sonde");
	int ret = core_btf_is_needed(elf, size) ? core_btf_make(&object->btf, elf, size, err) : 0;

	if (ret)
		return ret;
	if (object->btf.path[0])
		opts.btf_custom_path = object->btf.path;
	object->bpf = bpf_object__open_mem(elf, size, &opts);
	if (object->bpf)
		return 0;
	ret = err_set(err, -errno, "cannot open the BPF object: %s", strerror(errno));
	core_btf_release(&object->btf);
	return ret;
}

int core_object_open_untyped(struct core_object *object, const void *elf, size_t size, struct err *err)
{
	int ret;

	object->own = base_alloc(size);
	memcpy(object->own, elf, size);
	core_btf_drop_relocations(object->own, size);
	ret = core_object_open(object, object->own, size, err);
	if (ret)
		core_object_release(object);
	return ret;
}

int core_object_prepare(struct core_object *object)
{
	int ret = bpf_object__prepare(object->bpf);

	core_btf_release(&object->btf);
	return ret;
}

int core_object_load(struct core_object *object)
{
	int ret = bpf_object__load(object->bpf);

	core_btf_release(&object->btf);
	return ret;
}

void core_object_release(struct core_object *object)
{
	bpf_object__close(object->bpf);
	object->bpf = NULL;
	core_btf_release(&object->btf);
	free(object->own);
	object->own = NULL;
}
