// SPDX-License-Identifier: BSD-2-Clause
/* Tables of a kernel in memory that the test makes: valid ones are read, others are rejected as a whole. */
#include "base/str.h"
#include "kernel_fixture.h"
#include "memory_fixture.h"
#include "kernel/kallsyms_image.h"
#include "kernel/modules_image.h"

TestSuite(kallsyms_image, .init = fixture_init, .fini = fixture_fini);

/* Addresses in that memory. */
enum {
	INFO_AT = 0x1000, /* the address of the text behind it */
	TEXT_AT = 0x1008,
	BASE_AT = 0x2000,
	COUNT_AT = 0x2008,
	NAMES_AT = 0x3000,
	TOKENS_AT = 0x4000,
	INDEX_AT = 0x5000,
	OFFSETS_AT = 0x6000,
	MODULE_AT = 0x7100,
	KALLSYMS_AT = 0x7200,
	SYMTAB_AT = 0x7300,
	TYPES_AT = 0x7400,
	STRINGS_AT = 0x7ffa, /* the last of them reaches into the next page */
};

static const struct memory memory = {
	.copy = arena_copy,
	.layout = {
		.module_list = 8,
		.module_name = 24,
		.module_kallsyms = 80,
		.module_text = 88,
		.module_text_size = 96,
		.symtab = 0,
		.num_symtab = 8,
		.strtab = 16,
		.typetab = 24,
	},
	.vmcoreinfo = BASE + INFO_AT,
};

/* Adds a symbol with a type letter and a name, 16 bytes after the previous one. */
static void put_symbols(const char *const *names, uint32_t n, int kind)
{
	size_t at = NAMES_AT;

	for (uint32_t i = 0; i < n; i++) {
		size_t len = strlen(names[i]);
		int32_t from_base = 16 * i;
		int32_t offset = kind == OFFSETS_FROM_BASE ? from_base : kind == OFFSETS_PERCPU ? -1 - from_base
												: from_base - (int32_t)(OFFSETS_AT + i * sizeof(offset));

		arena[at++] = len;
		put(at, names[i], len);
		at += len;
		put(OFFSETS_AT + i * sizeof(offset), &offset, sizeof(offset));
	}
	put(COUNT_AT, &n, sizeof(n));
}

/* Each token is a letter. */
static void put_tokens(void)
{
	for (uint16_t i = 0; i < 256; i++) {
		uint16_t start = 2 * i;

		arena[TOKENS_AT + start] = i;
		put(INDEX_AT + i * sizeof(start), &start, sizeof(start));
	}
}

static void put_info(int kind)
{
	char *text = (char *)arena + TEXT_AT;

	put_u64(INFO_AT, BASE + TEXT_AT);
	text += sprintf(text, "OSRELEASE=6.12\nSYMBOL(_stext)=%llx\nSYMBOL(kallsyms_names)=%llx\n", BASE, BASE + NAMES_AT);
	text += sprintf(text, "SYMBOL(kallsyms_num_syms)=%llx\nSYMBOL(kallsyms_token_table)=%llx\n", BASE + COUNT_AT, BASE + TOKENS_AT);
	text += sprintf(text, "SYMBOL(kallsyms_token_index)=%llx\nSYMBOL(kallsyms_offsets)=%llx\n", BASE + INDEX_AT, BASE + OFFSETS_AT);
	if (kind != OFFSETS_FROM_THEMSELVES)
		sprintf(text, "SYMBOL(kallsyms_relative_base)=%llx\n", BASE + BASE_AT);
	put_u64(BASE_AT, BASE);
}

/* One, of two symbols, between the second and the end of the list's head, which is symbol 1. */
static void put_module(void)
{
	static const char strings[] = "\0init_one\0exit_one";
	const Elf64_Sym symbols[] = { {}, { .st_name = 1, .st_value = 0x111 }, { .st_name = 10, .st_value = 0x222 } };

	put_u64(16, BASE + MODULE_AT + 8); /* where symbol 1 is */
	put_u64(MODULE_AT + 8, BASE + 16);
	put(MODULE_AT + 24, "house", 6);
	put_u64(MODULE_AT + 80, BASE + KALLSYMS_AT);
	put_u64(MODULE_AT + 88, 0x100);
	put(MODULE_AT + 96, &(uint32_t){ 0x200 }, sizeof(uint32_t));
	put_u64(KALLSYMS_AT, BASE + SYMTAB_AT);
	put_u64(KALLSYMS_AT + 8, ARRAY_SIZE(symbols));
	put_u64(KALLSYMS_AT + 16, BASE + STRINGS_AT);
	put_u64(KALLSYMS_AT + 24, BASE + TYPES_AT);
	put(SYMTAB_AT, symbols, sizeof(symbols));
	put(TYPES_AT, "?tT", 3);
	put(STRINGS_AT, strings, sizeof(strings));
}

static const char *const names[] = {
	"T_stext",
	"Dmodules",
	"tone",
	"Rread_only",
	"bftrace_pages_start",
	"Wtwo",
	"T_etext",
	"Dend",
};

static void put_all(int kind)
{
	memset(arena, 0, sizeof(arena));
	put_symbols(names, ARRAY_SIZE(names), kind);
	put_tokens();
	put_info(kind);
	put_module();
}

static int show(const struct ksym *sym, void *ctx)
{
	struct str *text = ctx;
	unsigned long long addr = sym->addr < BASE ? sym->addr : sym->addr - BASE;

	str_addf(text, "%llx %s%s%s\n", addr, sym->name, sym->module ? " of " : "", sym->module ? sym->module : "");
	return 0;
}

static int read_image_as(struct str *text, bool by_address)
{
	__cleanup(kallsyms_image_release) struct kallsyms_image image = {};
	struct memory_places places = {};
	int ret = kallsyms_image_read(&image, &places, &memory, by_address);

	if (ret)
		return ret;
	str_addf(text, "modules %llx, records %llx\n", places.modules - BASE, places.ftrace_pages_start - BASE);
	return kallsyms_image_each(&image, NULL, show, text);
}

/* The tables are the same whether they are held or read in pieces. */
static int read_image(struct str *text)
{
	struct str pieces __str = {};
	int ret = read_image_as(text, false);

	cr_expect_eq(read_image_as(&pieces, true), ret);
	cr_expect_str_eq(str_or_empty(pieces.data), str_or_empty(text->data));
	return ret;
}

static int show_of_module(const struct ksym *sym, char type, void *ctx)
{
	return show(sym, ctx);
}

static int read_modules(struct str *text)
{
	__cleanup(modules_image_release) struct modules_image modules = {};
	int ret = modules_image_read(&modules, &memory, BASE + 16);

	if (ret)
		return ret;
	vec_each(module, &modules)
		str_addf(text, "%s %llx-%llx\n", module->name, (unsigned long long)module->start, (unsigned long long)module->end);
	return modules_image_each(&modules, show_of_module, text);
}

Test(kallsyms_image, offsets_of_each_kind)
{
	static const int kinds[] = { OFFSETS_FROM_BASE, OFFSETS_PERCPU, OFFSETS_FROM_THEMSELVES };

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct str text __str = {};

		put_all(kinds[i]);
		cr_expect_eq(read_image(&text), 0, "kind %d", kinds[i]);
		cr_expect_str_eq(text.data, "modules 10, records 40\n0 _stext\n20 one\n50 two\n60 _etext\n");
	}
}

/* By name, and by each address: nothing runs in data, from the end of the text on, or behind the last symbol. */
Test(kallsyms_image, by_name_and_address)
{
	static const struct {
		uint64_t addr, start;
		const char *name; /* NULL: none */
	} want[] = {
		{ 0, 0, "_stext" },
		{ 0xf, 0, "_stext" },
		{ 0x10, 0, NULL },
		{ 0x20, 0x20, "one" },
		{ 0x2f, 0x20, "one" },
		{ 0x30, 0, NULL },
		{ 0x55, 0x50, "two" },
		{ 0x60, 0, NULL },
		{ 0x6f, 0, NULL },
		{ 0x70, 0, NULL },
		{ 0x1000, 0, NULL },
		{ -1, 0, NULL },
	};
	__cleanup(kallsyms_image_release) struct kallsyms_image image = {};
	struct memory_places places = {};
	struct str text __str = {};

	put_all(OFFSETS_FROM_BASE);
	cr_assert_eq(kallsyms_image_read(&image, &places, &memory, false), 0);
	cr_expect_not_null(image.names);
	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		struct ksym_place place;

		cr_assert_eq(kallsyms_image_at(&image, BASE + want[i].addr, &place), want[i].name ? 0 : -ENOENT, "%zu", i);
		if (!want[i].name)
			continue;
		cr_expect_str_eq(place.name, want[i].name);
		cr_expect_eq(place.start, BASE + want[i].start);
		cr_expect_eq(place.end, BASE + want[i].start + 16);
		cr_expect_null(place.module);
	}
	cr_expect_null(image.names, "those who look up addresses keep no names");
	kallsyms_image_each(&image, "two", show, &text);
	kallsyms_image_each(&image, "tw", show, &text);
	kallsyms_image_each(&image, "twoo", show, &text);
	kallsyms_image_each(&image, "read_only", show, &text);
	cr_expect_str_eq(text.data, "50 two\n");
}

/* Looks up more symbols than one entry of the index covers. Of three at one address, the first function is found. */
Test(kallsyms_image, many)
{
	enum {
		MANY = 100
	};
	__cleanup(kallsyms_image_release) struct kallsyms_image image = {};
	struct memory_places places = {};
	char *many[MANY];

	put_all(OFFSETS_FROM_BASE);
	for (int i = 0; i < MANY; i++)
		many[i] = base_printf(i ? "tfunction_%d" : "T_stext", i);
	many[50][0] = 'd';
	put_symbols((const char *const *)many, MANY, OFFSETS_FROM_BASE);
	for (int i = 51; i < 53; i++)
		put(OFFSETS_AT + i * sizeof(int32_t), &(int32_t){ 16 * 50 }, sizeof(int32_t));
	cr_assert_eq(kallsyms_image_read(&image, &places, &memory, true), 0);
	cr_expect_null(image.names);
	cr_expect_null(image.offsets);
	for (int i = 0; i < MANY - 1; i++) {
		int want = i >= 50 && i < 53 ? 51 : i;
		struct ksym_place place;

		if (i == 51 || i == 52)
			continue;
		cr_assert_eq(kallsyms_image_at(&image, BASE + 16 * i + 7, &place), 0);
		cr_expect_str_eq(place.name, many[want] + 1);
	}
	for (int i = 0; i < MANY; i++)
		free(many[i]);
}

/* No symbol of a bad image is used: /proc/kallsyms has all. */
static void refused(const char *what)
{
	struct str text __str = {};

	cr_expect_lt(read_image(&text), 0, "%s", what);
	cr_expect_eq(text.len, 0, "%s", what);
	put_all(OFFSETS_FROM_BASE);
}

Test(kallsyms_image, what_is_not_as_it_is_known)
{
	static const char *const twice[] = { "T_stext", "Dmodules", "dmodules" };
	static const char *const none[] = { "T_text", "Dmodules" };

	put_all(OFFSETS_FROM_BASE);
	put_u64(INFO_AT, 1);
	refused("no vmcoreinfo");
	memset(arena + TEXT_AT, 0, 64);
	refused("no word of the text's begin");
	memset(arena + COUNT_AT, 0, 4);
	refused("no symbol");
	memset(arena + COUNT_AT, 0xff, 4);
	refused("too many symbols");
	arena[NAMES_AT] = 0;
	refused("a name of no length");
	memset(arena + NAMES_AT, 0x41, TOKENS_AT - NAMES_AT);
	refused("names without an end");
	memset(arena + TOKENS_AT, 'x', INDEX_AT - TOKENS_AT);
	refused("a token without an end");
	put(INDEX_AT + 10, "\x3d\x02", 2); /* the last byte that is read of them */
	arena[TOKENS_AT + 0x23d] = 'x';
	refused("a token that is cut");
	memset(arena + INDEX_AT + 10, 0xff, 2);
	refused("a token elsewhere");
	memset(arena + OFFSETS_AT + 8, 0, 4);
	refused("an address that falls");
	put_symbols(twice, ARRAY_SIZE(twice), OFFSETS_FROM_BASE);
	refused("two lists of modules");
	put_symbols(none, ARRAY_SIZE(none), OFFSETS_FROM_BASE);
	refused("no begin of the text");
}

static void refused_modules(const char *what)
{
	struct str text __str = {};

	cr_expect_lt(read_modules(&text), 0, "%s", what);
	put_all(OFFSETS_FROM_BASE);
}

Test(kallsyms_image, modules)
{
	struct str text __str = {};

	put_all(OFFSETS_FROM_BASE);
	cr_expect_eq(read_modules(&text), 0);
	cr_expect_str_eq(text.data, "house 100-300\n111 init_one of house\n222 exit_one of house\n");
}

Test(kallsyms_image, modules_that_come_and_go)
{
	struct str text __str = {};

	put_all(OFFSETS_FROM_BASE);
	put_u64(MODULE_AT + 8, BASE + MODULE_AT + 8);
	refused_modules("a list without an end");
	put_u64(MODULE_AT + 8, 0);
	refused_modules("a list that breaks off");
	put_u64(MODULE_AT + 80, 0);
	refused_modules("no symbols");
	memset(arena + KALLSYMS_AT + 8, 0xff, 4);
	refused_modules("too many symbols");
	memset(arena + STRINGS_AT, 'x', sizeof(arena) - STRINGS_AT);
	refused_modules("a name without an end");
	memset(arena + MODULE_AT + 24, 'x', 56);
	refused_modules("a module's name without an end");
	put(MODULE_AT, "\3", 1); /* MODULE_STATE_UNFORMED */
	put_u64(MODULE_AT + 80, 0);
	cr_expect_eq(read_modules(&text), 0);
	cr_expect_eq(text.len, 0);
}

/* Linux 7.2 has variables among its text, and lists them as functions. */
Test(kallsyms_image, places_of_any_type)
{
	const char *typed[ARRAY_SIZE(names)];
	__cleanup(kallsyms_image_release) struct kallsyms_image image = {};
	struct memory_places places = {}, text_like = {};

	put_all(OFFSETS_FROM_BASE);
	cr_assert_eq(kallsyms_image_read(&image, &places, &memory, false), 0);
	kallsyms_image_release(&image);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		typed[i] = !strcmp(names[i], "Dmodules")	      ? "Tmodules"
			   : !strcmp(names[i], "bftrace_pages_start") ? "tftrace_pages_start"
								      : names[i];
	put_all(OFFSETS_FROM_BASE);
	put_symbols(typed, ARRAY_SIZE(typed), OFFSETS_FROM_BASE);
	cr_assert_eq(kallsyms_image_read(&image, &text_like, &memory, false), 0);
	cr_assert_neq(places.modules, 0);
	cr_assert_eq(text_like.modules, places.modules);
	cr_assert_eq(text_like.ftrace_pages_start, places.ftrace_pages_start);
}
