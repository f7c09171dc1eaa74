// SPDX-License-Identifier: BSD-2-Clause
/* A session on lists that a test wrote: functions by name and by address. */
#include "base/pool.h"
#include "base/str.h"
#include "kernel_fixture.h"

/* Aliases, data after a function, the end of the text; two modules whose symbols are in no order, one beyond its module's end. */
static const char symbols[] =
	"0000000000000010 A fixed_percpu_data\n"
	"ffffffff81001000 T first\n"
	"ffffffff81001100 D __alias\n"
	"ffffffff81001100 T function\n"
	"ffffffff81001100 T alias\n"
	"ffffffff81001200 t twin\n"
	"ffffffff81001300 t before_data\n"
	"ffffffff81001380 d data_in_text\n"
	"ffffffff81001390 d more_data\n"
	"ffffffff81001400 t twin\n"
	"ffffffff81001500 T _etext\n"
	"ffffffff81002000 D data\n"
	"ffffffffc0002200 t late\t[ext4]\n"
	"ffffffffc0002100 t early\t[ext4]\n"
	"ffffffffc0002f00 d ext4_data\t[ext4]\n"
	"ffffffffc0002f80 d more_data\t[ext4]\n"
	"ffffffffc0002f40 t between\t[ext4]\n"
	"ffffffffc0001000 t twin\t[house]\n"
	"ffffffffc0003000 t bpf_prog_1234\t[bpf]\n";

static struct kernel *kernel;

static void setup(void)
{
	fixture_init();
	fixture_file(KALLSYMS, symbols);
	fixture_file(MODULES, "ext4 4096 0 - Live 0xffffffffc0002000\nhouse 256 1 ext4, Live 0xffffffffc0001000 (OE)\n");
	kernel = kernel_new();
}

static void teardown(void)
{
	kernel_free(kernel);
	fixture_fini();
}

TestSuite(kernel, .init = setup, .fini = teardown);

/* "MODULE:NAME+0xOFFSET/0xSIZE", "" for none. */
static const char *at(uint64_t addr)
{
	static char text[700];
	struct ksym_place place;
	int ret = kernel_symbol_at(kernel, addr, &place);

	*text = 0;
	cr_assert(ret == 0 || ret == -ENOENT);
	if (!ret)
		snprintf(text, sizeof(text), "%s%s%s+0x%llx/0x%llx", str_or_empty(place.module), place.module ? ":" : "", place.name,
			 (unsigned long long)(addr - place.start), (unsigned long long)(place.end - place.start));
	return text;
}

static const struct {
	uint64_t addr;
	const char *text;
} places[] = {
	{ 0, "" },
	{ 0x10, "" },
	{ 0xffffffff81000fff, "" },
	{ 0xffffffff81001000, "first+0x0/0x100" },
	{ 0xffffffff810010ff, "first+0xff/0x100" },
	{ 0xffffffff81001101, "function+0x1/0x100" },
	{ 0xffffffff81001200, "twin+0x0/0x100" },
	{ 0xffffffff8100137f, "before_data+0x7f/0x80" },
	{ 0xffffffff81001380, "" },
	{ 0xffffffff81001395, "" },
	{ 0xffffffff81001400, "twin+0x0/0x100" },
	{ 0xffffffff81001500, "" },
	{ 0xffffffff81001fff, "" },
	{ 0xffffffff81002000, "" },
	{ 0xffffffffc0001000, "house:twin+0x0/0x100" },
	{ 0xffffffffc00010ff, "house:twin+0xff/0x100" },
	{ 0xffffffffc0001100, "" },
	{ 0xffffffffc00021ff, "ext4:early+0xff/0x100" },
	{ 0xffffffffc0002200, "ext4:late+0x0/0xd00" },
	{ 0xffffffffc0002f00, "" },
	{ 0xffffffffc0002f41, "ext4:between+0x1/0x40" },
	{ 0xffffffffc0002f80, "" },
	{ 0xffffffffc0003000, "" },
	{ UINT64_MAX, "" },
};

Test(kernel, by_address)
{
	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		cr_expect_str_eq(at(places[i].addr), places[i].text, "0x%llx is %s", (unsigned long long)places[i].addr, at(places[i].addr));
}

/* All at once, in one pass over the text. */
Test(kernel, by_addresses)
{
	struct ksym_wanted wanted[ARRAY_SIZE(places)];
	struct pool strings = {};

	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		wanted[i].addr = places[i].addr;
	kernel_find_symbols(kernel, wanted, ARRAY_SIZE(places), &strings);
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		const struct ksym_wanted *found = &wanted[i];
		char text[700] = "";

		if (!found->ret)
			snprintf(text, sizeof(text), "%s%s%s+0x%llx/", str_or_empty(found->module), found->module ? ":" : "",
				 found->name, (unsigned long long)(found->addr - found->start));
		cr_expect(*text ? !strncmp(text, places[i].text, strlen(text)) : !*places[i].text, "0x%llx is %s and not %s",
			  (unsigned long long)found->addr, text, places[i].text);
	}
	pool_release(&strings);
}

static int show(const struct ksym *sym, void *ctx)
{
	str_addf(ctx, "%llx%s%s\n", (unsigned long long)sym->addr, sym->module ? " " : "", str_or_empty(sym->module));
	return 0;
}

/* Also when an address has been looked up, which sorts them. */
Test(kernel, by_name)
{
	for (int i = 0; i < 2; i++) {
		struct str text __str = {};

		cr_expect_eq(kernel_each_named(kernel, "twin", show, &text, NULL), 0);
		kernel_each_named(kernel, "data", show, &text, NULL);
		kernel_each_named(kernel, "bpf_prog_1234", show, &text, NULL);
		cr_expect_str_eq(text.data, "ffffffff81001200\nffffffff81001400\nffffffffc0001000 house\n");
		at(0);
	}
}

static int count(const struct ksym *sym, void *ctx)
{
	return ++*(int *)ctx == 3 ? 77 : 0;
}

/* The symbols are kept: what becomes of the file meanwhile does not matter. */
Test(kernel, is_kept)
{
	int n = 0;

	for (int i = 0; i < 2; i++) {
		cr_expect_eq(kernel_each_symbol(kernel, count, &n, NULL), 77);
		cr_expect_eq(n, 3);
		n = 0;
	}
	fixture_file(KALLSYMS, "ffffffff81001000 T other\n");
	cr_expect_str_eq(at(0xffffffff81001001), "first+0x1/0x100");
	cr_expect_eq(kernel_each_symbol(kernel, count, &n, NULL), 77);
}

Test(kernel, nothing_to_read)
{
	__free char *path = base_printf("%s%s", fixture_dir, KALLSYMS);
	struct ksym_place place;
	struct err err;
	int n = 0;

	unlink(path);
	for (int i = 0; i < 2; i++) {
		cr_expect_eq(kernel_each_symbol(kernel, count, &n, &err), -ENOENT);
		cr_expect_str_eq(err.text, "cannot read /proc/kallsyms: No such file or directory");
	}
	cr_expect_eq(kernel_symbol_at(kernel, 1, &place), -ENOENT);
}

/* kernel.kptr_restrict: 0 is no address of a function. */
Test(kernel, hidden_addresses)
{
	struct ksym_place place;

	fixture_file(KALLSYMS, "0000000000000000 T first\n0000000000000000 d data\n0000000000000000 t second\t[ext4]\n");
	fixture_file(MODULES, "ext4 4096 0 - Live 0x0000000000000000\n");
	struct ksym_wanted wanted = { .addr = 0xffffffff81001000 };

	kernel_find_symbols(kernel, &wanted, 1, NULL);
	cr_expect_eq(wanted.ret, -EPERM);
	cr_expect_eq(kernel_symbol_at(kernel, 0, &place), -EPERM);
	cr_expect_eq(kernel_symbol_at(kernel, 0xffffffff81001000, &place), -EPERM);
}
