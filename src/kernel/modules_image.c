// SPDX-License-Identifier: BSD-2-Clause
#include "modules_image.h"

/* More than any kernel has: memory that is not, or no longer, a list of modules could be read for ever. */
#define MAX_MODULES (1 << 12)
#define MAX_SYMBOLS (1 << 20)
#define MAX_STRINGS (1 << 26)

/* Readable memory begins and ends at a multiple of this, also where pages are larger. */
#define PAGE_SIZE 4096

/* include/linux/module.h: the module is being loaded, and the kernel does not list its symbols yet. */
#define MODULE_STATE_UNFORMED 3

struct tables {
	uint64_t symbols, strings, types;
	uint32_t n;
};

static int read_tables(const struct memory *memory, uint64_t module, struct tables *tables)
{
	const struct memory_layout *layout = &memory->layout;
	uint64_t at;
	int ret = memory_copy(memory, module + layout->module_kallsyms, &at, sizeof(at));

	if (!ret)
		ret = memory_copy(memory, at + layout->symtab, &tables->symbols, sizeof(tables->symbols));
	if (!ret)
		ret = memory_copy(memory, at + layout->num_symtab, &tables->n, sizeof(tables->n));
	if (!ret)
		ret = memory_copy(memory, at + layout->strtab, &tables->strings, sizeof(tables->strings));
	if (!ret)
		ret = memory_copy(memory, at + layout->typetab, &tables->types, sizeof(tables->types));
	return !ret && tables->n > MAX_SYMBOLS ? -EINVAL : ret;
}

/*
 * The kernel does not say how long the strings are: they end with the last name, which may reach into the next page.
 */
static int read_strings(struct module_image *module, const struct memory *memory, uint64_t from)
{
	size_t last = 0, len, end;
	int ret;

	for (uint32_t i = 0; i < module->n; i++)
		last = module->symbols[i].st_name > last ? module->symbols[i].st_name : last;
	if (last > MAX_STRINGS)
		return -EINVAL;
	len = last + PAGE_SIZE - (from + last) % PAGE_SIZE;
	module->strings = calloc(1, len + PAGE_SIZE);
	if (!module->strings)
		return -ENOMEM;
	ret = memory_copy(memory, from, module->strings, len);
	end = last + strnlen(module->strings + last, len - last);
	if (ret || end < len)
		return ret;
	ret = memory_copy(memory, from + len, module->strings + len, PAGE_SIZE);
	return ret || memchr(module->strings + len, 0, PAGE_SIZE) ? ret : -EINVAL;
}

/* Where its code is: what cannot be read stays unknown. */
static void read_code(struct module_image *module, const struct memory *memory, uint64_t at)
{
	const struct memory_layout *layout = &memory->layout;
	uint32_t size;

	if (!layout->module_text ||
	    memory_copy(memory, at + layout->module_text, &module->start, sizeof(module->start)) ||
	    memory_copy(memory, at + layout->module_text_size, &size, sizeof(size)))
		return;
	module->end = module->start + size;
}

static int read_module(struct module_image *module, const struct memory *memory, uint64_t at)
{
	struct tables tables;
	int ret = memory_copy(memory, at + memory->layout.module_name, module->name, sizeof(module->name));

	if (!ret && module->name[sizeof(module->name) - 1])
		ret = -EINVAL;
	if (!ret)
		ret = read_tables(memory, at, &tables);
	if (ret)
		return ret;
	read_code(module, memory, at);
	module->n = tables.n;
	ret = memory_take(memory, tables.symbols, tables.n * sizeof(*module->symbols), (void **)&module->symbols);
	if (!ret)
		ret = memory_take(memory, tables.types, tables.n, (void **)&module->types);
	return ret ? ret : read_strings(module, memory, tables.strings);
}

int modules_image_read(struct modules_image *modules, const struct memory *memory, uint64_t list)
{
	uint64_t at;
	int ret = memory->layout.module_kallsyms ? memory_copy(memory, list, &at, sizeof(at)) : -ENOENT;

	for (int n = 0; !ret && at != list; n++) {
		uint64_t module = at - memory->layout.module_list;
		int state = MODULE_STATE_UNFORMED;

		ret = memory_copy(memory, at, &at, sizeof(at));
		if (!ret)
			ret = memory_copy(memory, module + memory->layout.module_state, &state, sizeof(state));
		if (!ret && n == MAX_MODULES)
			ret = -EINVAL;
		if (!ret && state != MODULE_STATE_UNFORMED)
			ret = read_module(vec_push(modules), memory, module);
	}
	return ret;
}

int modules_image_each(const struct modules_image *modules, module_symbol_fn fn, void *ctx)
{
	vec_each(module, modules) {
		for (uint32_t i = 0; i < module->n; i++) {
			const Elf64_Sym *symbol = &module->symbols[i];
			struct ksym sym = {
				.addr = symbol->st_value,
				.name = module->strings + symbol->st_name,
				.module = module->name,
			};
			int ret = *sym.name ? fn(&sym, module->types[i], ctx) : 0;

			if (ret)
				return ret;
		}
	}
	return 0;
}

void modules_image_release(struct modules_image *modules)
{
	vec_each(module, modules) {
		free(module->symbols);
		free(module->types);
		free(module->strings);
	}
	free(modules->v);
	*modules = (struct modules_image){};
}
