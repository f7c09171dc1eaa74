// SPDX-License-Identifier: BSD-2-Clause
/* binary/binary.h: which files can be opened, and where functions are found. */
#include <elf.h>

#include "binary_fixture.h"

TestSuite(binary, .init = fixture_init);

#if defined(__x86_64__)
#define FOREIGN_MACHINE EM_AARCH64
#define FOREIGN_NAME	"arm64"
#else
#define FOREIGN_MACHINE EM_X86_64
#define FOREIGN_NAME	"x86-64"
#endif

/* The function "marked" begins with the bytes of its name: so an offset can be checked against the file. */
static const char program[] =
	"__asm__(\".text\\n.global marked\\n.type marked, %function\\n\"\n"
	"	\"marked: .ascii \\\"MARKED\\\"\\n.size marked, 6\\n\");\n"
	"static __attribute__((noinline, used)) int hidden_one(int a) { return a + 1; }\n"
	"int shown_two(int a) { return hidden_one(a) * 2; }\n"
	"int data_three = 3;\n"
	"int main(void) { return 0; }\n";

static void build(const char *flags, const char *out)
{
	char *command __free = base_printf("$CC -O1 -g %s -o %s program.c", flags, out);

	fixture_text("program.c", program);
	fixture_run(command);
}

static void expect_refused(const char *path, int code, const char *words)
{
	struct err err = { .text = "" };
	struct binary *binary = NULL;
	int ret = binary_open(NULL, path, &binary, &err);

	cr_expect(ret == code, "%s: %d, not %d", path, ret, code);
	cr_expect(err.code == code, "%s: err.code %d", path, err.code);
	cr_expect(strstr(err.text, words), "'%s' lacks '%s'", err.text, words);
	cr_expect(!binary);
	binary_close(binary);
}

Test(binary, refuses_what_is_no_elf)
{
	fixture_text("script", "#! /bin/sh -e\necho\n");
	fixture_text("text", "hello\n");
	fixture_text("empty", "");
	fixture_run("mkfifo fifo");
	expect_refused(fixture_path("absent"), -ENOENT, "No such file");
	expect_refused(fixture_dir, -ENOEXEC, "directory");
	expect_refused(fixture_path("script"), -ENOEXEC, "script of /bin/sh, not a program");
	fixture_text("script", "#!/usr/bin/env python3\n");
	expect_refused(fixture_path("script"), -ENOEXEC, "script of python3, not a program");
	fixture_text("script", "#!/usr/bin/env -S python3 -s\n");
	expect_refused(fixture_path("script"), -ENOEXEC, "script of /usr/bin/env, not a program");
	expect_refused(fixture_path("text"), -ENOEXEC, "not an ELF");
	expect_refused(fixture_path("empty"), -ENOEXEC, "not an ELF");
	expect_refused(fixture_path("fifo"), -ENOEXEC, "regular");
}

Test(binary, refuses_other_machines)
{
	char *data __free = NULL;
	Elf64_Ehdr ehdr;
	size_t n;

	build("", "native");
	data = fixture_read(fixture_path("native"), &n);
	memcpy(&ehdr, data, sizeof(ehdr));

	ehdr.e_machine = FOREIGN_MACHINE;
	fixture_write("foreign", &ehdr, sizeof(ehdr));
	expect_refused(fixture_path("foreign"), -ENOEXEC, FOREIGN_NAME);
	cr_expect(binary_check(NULL, fixture_path("foreign"), NULL) == -ENOEXEC);
	cr_expect(binary_check(NULL, fixture_path("native"), NULL) == 0);

	ehdr.e_ident[EI_CLASS] = ELFCLASS32;
	fixture_write("narrow", &ehdr, sizeof(ehdr));
	expect_refused(fixture_path("narrow"), -ENOEXEC, "32-bit");

	ehdr.e_ident[EI_CLASS] = ELFCLASS64;
	ehdr.e_ident[EI_DATA] = ELFDATA2MSB;
	fixture_write("big", &ehdr, sizeof(ehdr));
	expect_refused(fixture_path("big"), -ENOEXEC, "big-endian");
}

Test(binary, refuses_object_files_and_debug_files)
{
	build("-c", "object.o");
	build("", "whole");
	fixture_run("objcopy --only-keep-debug whole only.debug");
	expect_refused(fixture_path("object.o"), -ENOEXEC, "not linked");
	expect_refused(fixture_path("only.debug"), -ENODATA, "debug file");
}

Test(binary, says_that_a_file_is_truncated)
{
	static const size_t kept[] = { 4, 16, 40, 63, 64, 100, 500, 4096, 8000 };
	char *data __free = NULL;
	Elf64_Ehdr *ehdr;
	size_t n;

	build("", "whole");
	data = fixture_read(fixture_path("whole"), &n);
	ehdr = (Elf64_Ehdr *)data;
	for (size_t i = 0; i < ARRAY_SIZE(kept); i++) {
		fixture_write("cut", data, kept[i]);
		expect_refused(fixture_path("cut"), -EBADMSG, "truncated");
	}
	fixture_write("cut", data, n - 1);
	expect_refused(fixture_path("cut"), -EBADMSG, "truncated");
	fixture_write("cut", data, ehdr->e_shoff - 1);
	expect_refused(fixture_path("cut"), -EBADMSG, "headers lie beyond");

	ehdr->e_shoff = ehdr->e_shnum = ehdr->e_shstrndx = 0;
	fixture_write("cut", data, 8000);
	expect_refused(fixture_path("cut"), -EBADMSG, "segment lies beyond");
}

/* A string table may end inside a name: bytes that follow it in the file must not be read as part of the name. */
Test(binary, reads_no_name_beyond_the_table)
{
	const Elf64_Shdr *strtab = NULL;
	const char *name = NULL;
	char *data __free = NULL;
	Elf64_Shdr *shdr;
	Elf64_Ehdr ehdr;
	struct binary *binary;
	size_t n;

	build("", "out");
	data = fixture_read(fixture_path("out"), &n);
	memcpy(&ehdr, data, sizeof(ehdr));
	shdr = (Elf64_Shdr *)(data + ehdr.e_shoff);
	for (size_t i = 0; i < ehdr.e_shnum; i++) {
		if (shdr[i].sh_type != SHT_SYMTAB)
			continue;
		strtab = &shdr[shdr[i].sh_link];
		name = memmem(data + strtab->sh_offset, strtab->sh_size, "marked", 7);
		cr_assert(name);
		shdr[shdr[i].sh_link].sh_size = (size_t)(name - data) + 3 - strtab->sh_offset;
	}
	cr_assert(strtab);
	fixture_write("out", data, n);
	binary = fixture_open(fixture_path("out"));
	cr_expect(!fixture_find(binary, "marked"));
	cr_expect(!fixture_find(binary, "mar"));
	binary_close(binary);
}

Test(binary, gives_offsets_in_the_file)
{
	static const char *const flags[] = { "", "-no-pie -Wl,-z,noseparate-code",
					     "-no-pie -Wl,-Ttext=0x900000", "-static" };

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		char *data __free = NULL;
		const struct binary_symbol *s;
		uint64_t offset = 0;
		struct binary *binary;
		size_t n;

		build(flags[i], "out");
		data = fixture_read(fixture_path("out"), &n);
		binary = fixture_open(fixture_path("out"));
		s = fixture_find(binary, "marked");
		cr_assert(s, "%s", flags[i]);
		cr_expect(s->offset + 6 < n && !memcmp(data + s->offset, "MARKED", 6), "%s",
			  flags[i]);
		cr_expect(s->size == 6);
		cr_expect(!s->ifunc && s->binding == STB_GLOBAL);
		cr_expect(!binary_offset_of(binary, s->vaddr, true, &offset) && offset == s->offset);
		cr_expect(binary_offset_of(binary, 0x10, true, &offset) == -ENOENT);
		cr_expect(fixture_find(binary, "hidden_one")->binding == STB_LOCAL);
		cr_expect(!fixture_find(binary, "data_three"), "data is no function");
		cr_expect(!strcmp(binary_source(binary), ".symtab"));
		binary_close(binary);
	}
}

Test(binary, distinguishes_code_from_data)
{
	struct binary *binary;
	const struct binary_symbol *s;
	uint64_t offset;

	build("", "out");
	binary = fixture_open(fixture_path("out"));
	s = fixture_find(binary, "main");
	cr_assert(s);
	cr_expect(binary_offset_of(binary, 0, false, &offset) == 0 && offset == 0, "the ELF header");
	cr_expect(binary_offset_of(binary, 0, true, &offset) == -ENOENT);
	cr_expect(binary_offset_of(binary, ~0ULL, false, &offset) == -ENOENT);
	binary_close(binary);
}

Test(binary, prefers_the_name_that_people_know)
{
	static const char *const order[] = { "run", "walk", "aa_long", "_run",
					     "__run_fast", "a", "loc" };
	const struct binary_symbol *s, *run;
	struct binary *binary;
	struct err err;
	size_t n;

	fixture_text("alias.c",
		     "void run(void) { }\n"
		     "#define ALIAS __attribute__((alias(\"run\")))\n"
		     "extern void aa_long(void) ALIAS; extern void _run(void) ALIAS;\n"
		     "extern void __run_fast(void) ALIAS; extern void walk(void) ALIAS;\n"
		     "extern void a(void) __attribute__((weak, alias(\"run\")));\n"
		     "static void loc(void) __attribute__((used, alias(\"run\")));\n"
		     "void other(void) { }\n");
	fixture_run("$CC -shared -fPIC -o alias.so alias.c");
	binary = fixture_open(fixture_path("alias.so"));
	cr_assert(!binary_functions(binary, &s, &n, &err), "%s", err.text);
	for (size_t i = 1; i < n; i++)
		cr_expect(s[i - 1].offset <= s[i].offset);
	run = fixture_find(binary, "run");
	cr_assert(run && run + ARRAY_SIZE(order) <= s + n);
	for (size_t i = 0; i < ARRAY_SIZE(order); i++) {
		cr_expect(!strcmp(run[i].name, order[i]), "%zu: %s, not %s", i, run[i].name,
			  order[i]);
		cr_expect(run[i].offset == run->offset);
	}
	cr_expect(run == s || run[-1].offset < run->offset, "the preferred name is first");
	cr_expect(run[ARRAY_SIZE(order)].offset > run->offset, ".dynsym adds no doubles");
	binary_close(binary);
}

Test(binary, leaves_out_versions)
{
	struct binary *binary;

	fixture_text("v.c", "__asm__(\".symver old_get, get@V1\\n.symver new_get, get@@V2\\n\");\n"
			    "void old_get(void) { }\nvoid new_get(void) { }\n");
	fixture_text("v.map", "V1 { global: get; };\nV2 { global: get; } V1;\n");
	fixture_run("$CC -shared -fPIC -Wl,--version-script=v.map -o v.so v.c");
	for (int stripped = 0; stripped < 2; stripped++) {
		const struct binary_symbol *s;
		size_t n, found = 0;
		struct err err;

		binary = fixture_open(fixture_path("v.so"));
		cr_assert(!binary_functions(binary, &s, &n, &err), "%s", err.text);
		for (size_t i = 0; i < n; i++) {
			found += !strcmp(s[i].name, "get");
			cr_expect(!strchr(s[i].name, '@'), "%s", s[i].name);
		}
		cr_expect(found == 2, "%zu: both versions, once each", found);
		binary_close(binary);
		fixture_run("strip v.so");
	}
}

Test(binary, reads_dynsym_of_a_stripped_library)
{
	struct binary *binary;

	build("-shared -fPIC", "lib.so");
	fixture_run("strip lib.so");
	binary = fixture_open(fixture_path("lib.so"));
	cr_expect(fixture_find(binary, "shown_two"));
	cr_expect(!fixture_find(binary, "hidden_one"));
	cr_expect(!strcmp(binary_source(binary), ".dynsym"));
	binary_close(binary);
}

Test(binary, says_where_it_looked_when_stripped)
{
	const struct binary_symbol *s;
	struct err err = { .text = "" };
	struct binary *binary;
	size_t n;

	build("-static -Wl,--build-id=0xabcdef01", "out");
	fixture_run("strip out && objcopy --add-gnu-debuglink=program.c out");
	binary = fixture_open(fixture_path("out"));
	for (int again = 0; again < 2; again++) {
		cr_expect(binary_functions(binary, &s, &n, &err) == -ENODATA);
		cr_expect(strstr(err.text, "stripped"), "%s", err.text);
		cr_expect(strstr(err.text, "/.build-id/ab/cdef01.debug"), "%s", err.text);
		cr_expect(strstr(err.text, "/.debug/program.c"), "%s", err.text);
	}
	binary_close(binary);
}

static void expect_source(const char *path, const char *root, const char *source)
{
	const struct binary_symbol *s, *t;
	struct binary *binary = fixture_open_in(root, path);

	s = fixture_find(binary, "hidden_one");
	t = fixture_find(binary, "marked");
	if (!source) {
		cr_expect(!s, "found in %s", binary_source(binary));
	} else {
		cr_assert(s && t);
		cr_expect(strstr(binary_source(binary), source), "%s", binary_source(binary));
	}
	binary_close(binary);
}

Test(binary, follows_a_debuglink_whose_checksum_is_right)
{
	build("-Wl,--build-id=none", "out");
	fixture_run("objcopy --only-keep-debug out out.debug && strip out &&\n"
		    "objcopy --add-gnu-debuglink=out.debug out");
	expect_source(fixture_path("out"), NULL, "/out.debug");
	fixture_run("mkdir .debug && mv out.debug .debug");
	expect_source(fixture_path("out"), NULL, "/.debug/out.debug");
	fixture_run("mkdir -p usr/lib/debug/bin bin && mv .debug/out.debug usr/lib/debug/bin && "
		    "mv out bin");
	expect_source(fixture_path("bin/out"), NULL, NULL);
	expect_source(fixture_path("bin/out"), fixture_dir, "/usr/lib/debug/bin/out.debug");
	fixture_run("printf x >> usr/lib/debug/bin/out.debug");
	expect_source(fixture_path("bin/out"), fixture_dir, NULL);
}

Test(binary, follows_the_build_id_and_no_other)
{
	build("-Wl,--build-id=0x12345678", "out");
	fixture_run("d=usr/lib/debug/.build-id/12; mkdir -p $d && "
		    "objcopy --only-keep-debug out $d/345678.debug && strip out");
	expect_source(fixture_path("out"), fixture_dir, "/.build-id/12/345678.debug");
	expect_source(fixture_path("out"), NULL, NULL);
	build("-Wl,--build-id=0x12345679", "other");
	fixture_run("objcopy --only-keep-debug other usr/lib/debug/.build-id/12/345678.debug");
	expect_source(fixture_path("out"), fixture_dir, NULL);
}

Test(binary, unpacks_gnu_debugdata)
{
	struct binary *binary;
	char *data __free = NULL;
	size_t n;

	build("-shared -fPIC -Wl,--build-id=none", "lib.so");
	/* as Fedora does: only the symbols that .dynsym lacks */
	fixture_run("objcopy --only-keep-debug lib.so mini && objcopy -S --keep-symbol=hidden_one "
		    "--remove-section=.comment mini && xz -k mini && strip lib.so && "
		    "cp lib.so broken.so && objcopy --add-section .gnu_debugdata=mini.xz lib.so");
	binary = fixture_open(fixture_path("lib.so"));
	cr_expect(fixture_find(binary, "hidden_one"));
	cr_expect(fixture_find(binary, "shown_two"), ".dynsym is read, too");
	cr_expect(!strcmp(binary_source(binary), ".gnu_debugdata"));
	binary_close(binary);

	data = fixture_read(fixture_path("mini.xz"), &n);
	data[n / 2] ^= 1;
	fixture_write("mini.xz", data, n);
	fixture_run("objcopy --add-section .gnu_debugdata=mini.xz broken.so");
	binary = fixture_open(fixture_path("broken.so"));
	cr_expect(!fixture_find(binary, "hidden_one"));
	cr_expect(fixture_find(binary, "shown_two"));
	binary_close(binary);
}

/* Calls every function that reads the file. They only have to return, with any result. */
static bool read_all(const char *path)
{
	const struct binary_symbol *s;
	const struct binary_usdt *m;
	struct binary *binary = NULL;
	size_t n, sum = 0;

	if (binary_open(NULL, path, &binary, NULL))
		return false;
	if (!binary_functions(binary, &s, &n, NULL)) {
		for (size_t i = 0; i < n; i++)
			sum += strlen(s[i].name) + s[i].size;
	}
	if (!binary_usdt_probes(binary, &m, &n, NULL)) {
		for (size_t i = 0; i < n; i++)
			sum += strlen(m[i].provider) + strlen(m[i].name) + strlen(m[i].args);
	}
	binary_close(binary);
	return sum;
}

Test(binary, survives_damaged_files)
{
	unsigned int variants = getenv("SONDE_FUZZ") ? atoi(getenv("SONDE_FUZZ")) : 400;
	unsigned int seed = 1, good = 0;
	char *data __free = NULL;
	size_t n;

	build("-shared -fPIC", "lib.so");
	fixture_run("objcopy --only-keep-debug lib.so mini && xz mini && "
		    "objcopy --strip-debug --add-gnu-debuglink=program.c "
		    "--add-section .gnu_debugdata=mini.xz lib.so");
	for (unsigned int i = 0; i < variants; i++) {
		free(data);
		data = fixture_read(fixture_path("lib.so"), &n);
		for (int flips = rand_r(&seed) % 16; flips >= 0; flips--) {
			/* mostly in the structures: the headers at both ends and the tables */
			size_t part = flips % 3 ? n : 1024;
			size_t at = (size_t)rand_r(&seed) % part;

			if (flips % 3 == 2)
				at = n - 1 - at % 2048;
			data[at] ^= 1 << rand_r(&seed) % 8;
		}
		fixture_write("damaged", data, i % 4 ? n : (size_t)rand_r(&seed) % n);
		good += read_all(fixture_path("damaged"));
	}
	cr_expect(good > variants / 20, "%u of %u were read: most damage must go past the checks",
		  good, variants);
}
