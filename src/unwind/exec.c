// SPDX-License-Identifier: BSD-2-Clause
/* Loads and holds the program that sees processes execute others. */
#include <bpf/libbpf.h>

#include "bpf/unwind.h" /* the skeleton names its struct */
#include "bpf/unwind_exec.skel.h"
#include "exec.h"

static int load(struct exec *exec, int spaces_fd)
{
	struct err err = {};
	size_t size;
	const void *elf = unwind_exec_bpf__elf_bytes(&size);
	int ret = core_object_open(&exec->object, elf, size, &err);

	if (!ret)
		ret = bpf_map__reuse_fd(bpf_object__find_map_by_name(exec->object.bpf, "unwind_spaces"), spaces_fd);
	return ret ? ret : core_object_load(&exec->object);
}

int exec_watch(struct exec *exec, int spaces_fd)
{
	int ret = load(exec, spaces_fd);

	if (ret)
		return ret;
	exec->link = bpf_program__attach(bpf_object__find_program_by_name(exec->object.bpf, "unwind_exec"));
	return exec->link ? 0 : -errno;
}

void exec_release(struct exec *exec)
{
	bpf_link__destroy(exec->link);
	core_object_release(&exec->object);
}
