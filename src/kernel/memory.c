// SPDX-License-Identifier: BSD-2-Clause
/* Loads and runs the programs of bpf/memory.bpf.c. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "bpf/memory.h"
#include "bpf/memory.skel.h"
#include "core_object.h"
#include "memory.h"

/* The object, and what of it is asked for again and again. */
struct memory_programs {
	struct core_object object;
	int read; /* fd */
	const struct memory_bpf__bss *bss;
};

static struct bpf_program *find(const struct memory_programs *programs, const char *name)
{
	return bpf_object__find_program_by_name(programs->object.bpf, name);
}

static int load(struct memory_programs *programs)
{
	struct err err;
	size_t size;
	const void *elf = memory_bpf__elf_bytes(&size);
	int ret = core_object_open(&programs->object, elf, size, &err);

	if (ret)
		return ret;
	bpf_program__set_autoload(find(programs, "memory_find"), false);
	ret = core_object_load(&programs->object);
	if (ret)
		return ret;
	programs->read = bpf_program__fd(find(programs, "memory_read"));
	programs->bss = bpf_map__initial_value(bpf_object__find_map_by_name(programs->object.bpf, ".bss"), &size);
	return bpf_prog_test_run_opts(bpf_program__fd(find(programs, "memory_describe")), NULL);
}

static int copy(const struct memory *memory, uint64_t addr, void *to, size_t n)
{
	__u64 args[] = { addr, n };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = args, .ctx_size_in = sizeof(args));
	int ret = bpf_prog_test_run_opts(memory->programs->read, &opts);

	if (!ret)
		ret = (int)opts.retval;
	if (!ret)
		memcpy(to, memory->programs->bss->memory_window, n);
	return ret;
}

/* 0 where the kernel does not know the helper, or hides addresses. */
static uint64_t find_vmcoreinfo(const struct memory_programs *programs)
{
	const struct bpf_program *find_it = find(programs, "memory_find");
	__u64 found = 0;
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .prog_flags = BPF_F_SLEEPABLE);
	LIBBPF_OPTS(bpf_test_run_opts, run, .ctx_in = &found, .ctx_size_in = sizeof(found));
	__close int fd = bpf_prog_load(BPF_PROG_TYPE_SYSCALL, bpf_program__name(find_it), "Dual BSD/GPL",
				       bpf_program__insns(find_it), bpf_program__insn_cnt(find_it), &opts);

	if (fd < 0 || bpf_prog_test_run_opts(fd, &run) || run.retval)
		return 0;
	return found;
}

struct memory *memory_open(void)
{
	struct memory *memory = base_alloc(sizeof(*memory));
	int ret;

	memory->programs = base_alloc(sizeof(*memory->programs));
	ret = load(memory->programs);
	if (ret) {
		memory_close(&memory);
		errno = -ret;
		return NULL;
	}
	memory->copy = copy;
	memory->layout = memory->programs->bss->memory_layout;
	memory->vmcoreinfo = find_vmcoreinfo(memory->programs);
	return memory;
}

void memory_close(struct memory **memory)
{
	if (*memory) {
		core_object_release(&(*memory)->programs->object);
		free((*memory)->programs);
	}
	free(*memory);
	*memory = NULL;
}

/* Called for each variable of the kernel: most do not even begin like one of the three. */
void memory_places_take(struct memory_places *places, const struct ksym *sym)
{
	if (*sym->name != 'm' && *sym->name != 'f' && *sym->name != 'b')
		return;
	if (!strcmp(sym->name, "modules"))
		places->modules = sym->addr;
	else if (!strcmp(sym->name, "ftrace_pages_start"))
		places->ftrace_pages_start = sym->addr;
	else if (!strcmp(sym->name, "bpf_kallsyms"))
		places->bpf_kallsyms = sym->addr;
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
