// SPDX-License-Identifier: BSD-2-Clause
#include <bpf/bpf.h>

#include "bpf/memory.h"
#include "bpf/memory.skel.h"
#include "core_btf.h"
#include "memory.h"

static int load(struct memory_bpf **bpf)
{
	__cleanup(core_btf_release) struct core_btf btf = {};
	LIBBPF_OPTS(bpf_object_open_opts, opts, .btf_custom_path = btf.path);
	struct err err;
	size_t size;
	const void *elf = memory_bpf__elf_bytes(&size);
	int ret = core_btf_make(&btf, elf, size, &err);

	if (ret)
		return ret;
	*bpf = memory_bpf__open_opts(&opts);
	if (!*bpf)
		return -errno;
	bpf_program__set_autoload((*bpf)->progs.memory_find, false);
	ret = memory_bpf__load(*bpf);
	return ret ? ret : bpf_prog_test_run_opts(bpf_program__fd((*bpf)->progs.memory_describe), NULL);
}

static int copy(const struct memory *memory, uint64_t addr, void *to, size_t n)
{
	__u64 args[] = { addr, n };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = args, .ctx_size_in = sizeof(args));
	int ret = bpf_prog_test_run_opts(bpf_program__fd(memory->bpf->progs.memory_read), &opts);

	ret = ret ? ret : (int)opts.retval;
	if (!ret)
		memcpy(to, memory->bpf->bss->memory_window, n);
	return ret;
}

static uint64_t find_vmcoreinfo(const struct memory_bpf *bpf)
{
	const struct bpf_program *find = bpf->progs.memory_find;
	__u64 found = 0;
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .prog_flags = BPF_F_SLEEPABLE);
	LIBBPF_OPTS(bpf_test_run_opts, run, .ctx_in = &found, .ctx_size_in = sizeof(found));
	__close int fd = bpf_prog_load(BPF_PROG_TYPE_SYSCALL, bpf_program__name(find), "Dual BSD/GPL", bpf_program__insns(find),
				       bpf_program__insn_cnt(find), &opts);

	if (fd < 0 || bpf_prog_test_run_opts(fd, &run) || run.retval)
		return 0;
	return found;
}

struct memory *memory_open(void)
{
	struct memory *memory = base_alloc(sizeof(*memory));
	int ret = load(&memory->bpf);

	if (ret) {
		memory_close(&memory);
		errno = -ret;
		return NULL;
	}
	memory->copy = copy;
	memory->layout = memory->bpf->bss->memory_layout;
	memory->vmcoreinfo = find_vmcoreinfo(memory->bpf);
	return memory;
}

void memory_close(struct memory **memory)
{
	if (*memory)
		memory_bpf__destroy((*memory)->bpf);
	free(*memory);
	*memory = NULL;
}

int memory_copy(const struct memory *memory, uint64_t addr, void *to, size_t n)
{
	while (n) {
		size_t part = n < MEMORY_WINDOW ? n : MEMORY_WINDOW;
		int ret = memory->copy(memory, addr, to, part);

		if (ret)
			return ret;
		addr += part;
		to = (char *)to + part;
		n -= part;
	}
	return 0;
}

int memory_take(const struct memory *memory, uint64_t addr, size_t n, void **to)
{
	*to = calloc(1, n ? n : 1);
	return *to ? memory_copy(memory, addr, *to, n) : -ENOMEM;
}
