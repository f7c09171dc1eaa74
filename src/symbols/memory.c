// SPDX-License-Identifier: BSD-2-Clause
#include <bpf/bpf.h>

#include "bpf/memory.h"
#include "bpf/memory.skel.h"
#include "core_btf.h"
#include "memory.h"

static int load(struct memory_bpf **memory)
{
	__cleanup(core_btf_release) struct core_btf btf = {};
	LIBBPF_OPTS(bpf_object_open_opts, opts, .btf_custom_path = btf.path);
	struct err err;
	size_t size;
	const void *elf = memory_bpf__elf_bytes(&size);
	int ret = core_btf_make(&btf, elf, size, &err);

	if (ret)
		return ret;
	*memory = memory_bpf__open_opts(&opts);
	if (!*memory)
		return -errno;
	bpf_program__set_autoload((*memory)->progs.memory_find, false);
	ret = memory_bpf__load(*memory);
	if (ret)
		return ret;
	return bpf_prog_test_run_opts(bpf_program__fd((*memory)->progs.memory_describe), NULL);
}

struct memory_bpf *memory_open(void)
{
	struct memory_bpf *memory = NULL;
	int ret = load(&memory);

	if (ret) {
		memory_close(&memory);
		errno = -ret;
	}
	return memory;
}

void memory_close(struct memory_bpf **memory)
{
	memory_bpf__destroy(*memory);
	*memory = NULL;
}

static int copy_window(const struct memory_bpf *memory, uint64_t addr, void *to, size_t n)
{
	__u64 args[] = { addr, n };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = args, .ctx_size_in = sizeof(args));
	int ret = bpf_prog_test_run_opts(bpf_program__fd(memory->progs.memory_read), &opts);

	ret = ret ? ret : (int)opts.retval;
	if (!ret)
		memcpy(to, memory->bss->memory_window, n);
	return ret;
}

int memory_copy(const struct memory_bpf *memory, uint64_t addr, void *to, size_t n)
{
	while (n) {
		size_t part = n < MEMORY_WINDOW ? n : MEMORY_WINDOW;
		int ret = copy_window(memory, addr, to, part);

		if (ret)
			return ret;
		addr += part;
		to = (char *)to + part;
		n -= part;
	}
	return 0;
}

const struct memory_layout *memory_layout(const struct memory_bpf *memory)
{
	return &memory->bss->memory_layout;
}

uint64_t memory_vmcoreinfo(const struct memory_bpf *memory)
{
	const struct bpf_program *find = memory->progs.memory_find;
	__u64 found = 0;
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .prog_flags = BPF_F_SLEEPABLE);
	LIBBPF_OPTS(bpf_test_run_opts, run, .ctx_in = &found, .ctx_size_in = sizeof(found));
	__close int fd = bpf_prog_load(BPF_PROG_TYPE_SYSCALL, bpf_program__name(find), "Dual BSD/GPL", bpf_program__insns(find),
				       bpf_program__insn_cnt(find), &opts);

	if (fd < 0 || bpf_prog_test_run_opts(fd, &run) || run.retval)
		return 0;
	return found;
}
