// SPDX-License-Identifier: BSD-2-Clause
/*
 * Fuzzes the readers of kernel memory: the symbols of the kernel and of modules, and ftrace's records. The input is
 * some pages of memory, which begin with the address of vmcoreinfo.
 */
#include "fuzz.h"
#include "kernel/ftrace_records.h"
#include "kernel/kallsyms_image.h"
#include "kernel/modules_image.h"

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

static int look(const struct ksym *sym, void *ctx)
{
	fuzz_look(sym->name);
	fuzz_look(sym->module);
	return 0;
}

static int look_at_module(const struct ksym *sym, char type, void *ctx)
{
	return look(sym, ctx);
}

static void read_symbols(const struct memory *memory, bool by_address)
{
	struct kallsyms_image image = {};
	struct modules_image modules = {};
	struct memory_places places = {};
	struct ksym_place place;

	if (!kallsyms_image_read(&image, &places, memory, by_address)) {
		kallsyms_image_each(&image, NULL, look, NULL);
		kallsyms_image_each(&image, "x", look, NULL);
		for (uint64_t addr = BASE - 64; addr < BASE + 4096; addr += 13)
			if (!kallsyms_image_at(&image, addr, &place))
				fuzz_look(place.name);
	}
	if (!modules_image_read(&modules, memory, places.modules ? places.modules : BASE))
		modules_image_each(&modules, look_at_module, NULL);
	modules_image_release(&modules);
	kallsyms_image_release(&image);
}

static void look_at_record(uint64_t addr, void *ctx)
{
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct memory memory = {
		.copy = copy,
		.vmcoreinfo = BASE,
		.layout = { .record_size = 16,
			    .page_records = 8,
			    .page_index = 16,
			    .module_list = 8,
			    .module_name = 24,
			    .module_kallsyms = 80,
			    .module_text = 88,
			    .module_text_size = 96,
			    .num_symtab = 8,
			    .strtab = 16,
			    .typetab = 24 },
	};
	static bool rooted;

	if (!rooted)
		fuzz_make_root();
	rooted = true;
	arena = data;
	arena_size = size;
	read_symbols(&memory, false);
	read_symbols(&memory, true);
	ftrace_records_each(&memory, BASE + 8, look_at_record, NULL);
	return 0;
}
