// SPDX-License-Identifier: BSD-2-Clause
/*
 * Fuzzes the readers of kernel memory: the symbols of the kernel and of modules, and ftrace's records. The input is
 * some pages of memory, which begin with the address of vmcoreinfo.
 */
#include "fuzz.h"
#include "kernel/kallsyms_image.h"

#define BASE 0xffffffff81000000ULL

static const uint8_t *arena;
static size_t arena_size;

static int copy(const struct memory *memory, uint64_t addr, void *to, size_t n)
{
	if (addr < BASE || addr - BASE > arena_size || n > arena_size - (addr - BASE))
		return -EFAULT;
	memcpy(to, arena + (addr - BASE), n);
	return 0;
}

static int look(const struct ksym *sym, char type, void *ctx)
{
	fuzz_look(sym->name);
	fuzz_look(sym->module);
	return 0;
}

static void look_at_record(uint64_t addr, void *ctx)
{
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct memory memory = {
		.copy = copy,
		.vmcoreinfo = BASE,
		.layout = { .record_size = 16, .page_records = 8, .page_index = 16, .module_list = 8, .module_name = 24, .module_kallsyms = 80, .num_symtab = 8, .strtab = 16, .typetab = 24 },
	};
	struct kernel_records records = { .at = BASE + 8, .memory = &memory };
	struct kallsyms_image image = {};
	static bool rooted;
	struct err err;

	if (!rooted)
		fuzz_make_root();
	rooted = true;
	arena = data;
	arena_size = size;
	if (!kallsyms_image_read(&image, &memory))
		kallsyms_image_each(&image, look, NULL);
	kallsyms_image_release(&image);
	kernel_each_record(&records, look_at_record, NULL, &err);
	return 0;
}
