// SPDX-License-Identifier: BSD-2-Clause
/* Fuzzes all readers of ELF files in binary/binary.h, and the unwind tables made of them. */
#include "fuzz.h"
#include "binary/binary_code.h"
#include "binary/binary_part.h"
#include "unwind/functions.h"
#include "unwind/table.h"

static void read_symbols(struct binary *binary)
{
	const struct binary_symbol *symbols;
	uint64_t offset;
	struct err err;
	size_t n;

	if (binary_functions(binary, &symbols, &n, &err))
		return;
	for (size_t i = 0; i < n; i++) {
		fuzz_look(symbols[i].name);
		binary_offset_of(binary, symbols[i].vaddr, true, &offset);
	}
	fuzz_look(binary_source(binary));
}

static void read_usdt(struct binary *binary)
{
	const struct binary_usdt *probes;
	struct err err;
	size_t n;

	if (binary_usdt_probes(binary, &probes, &n, &err))
		return;
	for (size_t i = 0; i < n; i++) {
		fuzz_look(probes[i].provider);
		fuzz_look(probes[i].name);
		fuzz_look(probes[i].args);
	}
}

static int look_at_slot(void *ctx, const struct binary_slot *slot)
{
	fuzz_look(slot->name);
	fuzz_look(slot->version);
	binary_unwinds_from(ctx, slot->vaddr);
	return 0;
}

static int look_at_needed(void *ctx, const char *text, bool runpath)
{
	fuzz_look(text);
	return 0;
}

static void read_needed(struct binary *binary)
{
	char *id __free = binary_build_id(binary);
	char loader[PATH_MAX];

	fuzz_look(id);
	binary_each_needed(binary, look_at_needed, NULL);
	if (!binary_interpreter(binary, loader))
		fuzz_look(loader);
}

/* Pages come in order; the first row of each is at place 0, and the others follow in order. */
static int look_at_page(void *ctx, uint32_t page, const struct unwind_row *rows, size_t n)
{
	int64_t *last = ctx;

	if (page <= *last || !n || n > TABLE_PAGE_MAX || rows[0].place)
		abort();
	for (size_t i = 1; i < n; i++)
		if (rows[i].place <= rows[i - 1].place)
			abort();
	*last = page;
	return 0;
}

static void read_unwinding(struct binary *binary)
{
	__cleanup(functions_release) struct functions functions = {};
	struct rules rules = {};
	int64_t last = -1;
	const struct table_taker taker = { .page = look_at_page, .ctx = &last };

	table_make(binary, &rules, &taker, NULL);
	rules_release(&rules);
	functions_read(&functions, binary);
	for (size_t i = 0; i < functions.n; i++)
		if (functions.v[i].size && !functions_at(&functions, functions.v[i].offset))
			abort();
}

/* Checks places for probes: the entry of every symbol, places inside it, and every USDT probe. */
static void check_places(struct binary *binary)
{
	const struct binary_symbol *symbols, *function;
	const struct binary_usdt *probes;
	struct err err;
	size_t n;

	if (!binary_functions(binary, &symbols, &n, &err))
		for (size_t i = 0; i < n; i++) {
			binary_check_entry(binary, &symbols[i], &err);
			binary_check_offset(binary, &symbols[i], 1, &err);
			binary_check_place(binary, symbols[i].offset + 4, &function, &err);
		}
	if (!binary_usdt_probes(binary, &probes, &n, &err))
		for (size_t i = 0; i < n; i++)
			binary_check_usdt(binary, probes[i].offset, &err);
}

/*
 * Whether the list of all functions has this one, and none that begins later and holds the place. Sizes may differ, if two
 * tables have the function.
 */
static bool is_right(const struct binary_symbol *symbols, size_t n, const struct binary_symbol *found, uint64_t offset)
{
	bool listed = false;

	for (size_t i = 0; i < n; i++) {
		listed |= symbols[i].offset == found->offset && !strcmp(symbols[i].name, found->name);
		if (offset - symbols[i].offset < symbols[i].size && symbols[i].offset > found->offset)
			return false;
	}
	return listed && offset - found->offset < found->size;
}

/* Places are found in the function that the list of all functions says. */
static void find_places(struct binary *binary, const char *path)
{
	struct binary *other __cleanup(binary_closep) = NULL;
	const struct binary_symbol *symbols;
	struct binary_place places[64];
	size_t n, n_places = 0;
	struct err err;
	const char *stub;

	if (binary_functions(binary, &symbols, &n, &err) || binary_open(NULL, path, &other, &err))
		return;
	for (size_t i = 0; i < n && n_places + 1 < ARRAY_SIZE(places); i++) {
		places[n_places++].offset = symbols[i].offset;
		if (i + 1 == n || symbols[i + 1].offset > symbols[i].offset + 2)
			places[n_places++].offset = symbols[i].offset + 2;
	}
	if (binary_find_places(other, places, n_places, NULL, NULL))
		abort();
	for (size_t i = 0; i < n_places; i++) {
		const struct binary_symbol *found = &places[i].function;
		struct binary_symbol go;
		uint64_t vaddr;

		if (!binary_vaddr_of(other, places[i].offset, &vaddr) && binary_go_function_at(other, vaddr, &go))
			fuzz_look(go.name);

		if (found->name && found->size && !is_right(symbols, n, found, places[i].offset))
			abort();
		if (binary_stub_at(other, places[i].offset, &stub))
			fuzz_look(stub);
	}
}

/* Sets the machine: a file for another one is refused by its header, and the rest would not be tested. */
static void make_native(uint8_t *data, size_t size)
{
#if defined(__x86_64__)
	const Elf64_Half machine = EM_X86_64;
#else
	const Elf64_Half machine = EM_AARCH64;
#endif

	if (size >= sizeof(Elf64_Ehdr))
		memcpy(data + offsetof(Elf64_Ehdr, e_machine), &machine, sizeof(machine));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy __free = (uint8_t *)fuzz_text(data, size);
	struct binary *binary __cleanup(binary_closep) = NULL;
	static struct fuzz_file file;
	struct err err;

	make_native(copy, size);
	fuzz_write(&file, copy, size);
	if (binary_open(NULL, file.path, &binary, &err))
		return 0;
	read_symbols(binary);
	read_usdt(binary);
	find_places(binary, file.path);
	check_places(binary);
	binary_each_slot(binary, look_at_slot, binary);
	binary_each_ifunc(binary, look_at_slot, binary);
	binary_go(binary);
	binary_is_named(binary, "main");
	binary_count_inlined(binary, "shared");
	read_needed(binary);
	read_unwinding(binary);
	fuzz_look(binary_refused(binary));
	return 0;
}
