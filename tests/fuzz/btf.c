// SPDX-License-Identifier: BSD-2-Clause
/* Fuzzes the parser of the kernel's BTF: lists functions, and makes the part for a BPF object. */
#include <bpf/libbpf.h>

#include "bpf/filter.h"
#include "bpf/follow.skel.h"
#include "fuzz.h"
#include "kernel/core_btf.h"

static int look(const char *name, uint32_t id, void *ctx)
{
	fuzz_look(name);
	return 0;
}

static int quiet(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct fuzz_file file;
	static const void *object;
	static size_t object_size;
	struct core_btf btf = {};
	struct err err;

	if (!object) {
		fuzz_make_root();
		fuzz_link(&file, "/sys/kernel/btf/vmlinux");
		libbpf_set_print(quiet);
		object = follow_bpf__elf_bytes(&object_size);
	}
	fuzz_write(&file, data, size);
	kernel_each_btf_func(look, NULL, &err);
	if (!core_btf_make(&btf, object, object_size, &err))
		core_btf_release(&btf);
	return 0;
}
