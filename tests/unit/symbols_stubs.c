// SPDX-License-Identifier: BSD-2-Clause
/*
 * src/symbols/: names of code that stands for a function: stubs of the procedure linkage table, and resolvers and
 * implementations of IFUNCs.
 */
#include <dlfcn.h>
#include <elf.h>

#include "binary/maps.h"
#include "symbols_fixture.h"

TestSuite(symbols_stubs, .init = fixture_init);

static int print_stub(const char *flags)
{
	char *command __free = base_printf("$CC -O1 %s -o out f.c", flags);
	const char *name;
	int found = 0;

	/* headers would give some functions other names, such as __isoc23_strtol */
	fixture_text("f.c", "int puts(const char *), rand(void);\nvoid free(void *);\n"
			    "int main(int c, char **v) { puts(*v); return rand() + (c > 5) * (int)(long)&free; }\n");
	fixture_run(command);
	begin(fixture_path("out"), (struct symbols_options){});
	/* all places of the file: each stub has 8 to 24 bytes */
	for (uint64_t at = 0x200; at < 0x2000; at += 8) {
		uint64_t vaddr;

		if (binary_vaddr_of(binary, at, &vaddr))
			continue;
		name = name_at(at);
		found |= !strcmp(name, "puts@plt") ? 1 : 0;
		found |= !strcmp(name, "rand@plt") ? 2 : 0;
		cr_expect(!strchr(name, '@') || strstr(name, "fn@0x") || !strcmp(name, "puts@plt") ||
				  !strcmp(name, "rand@plt") || !strcmp(name, "__cxa_finalize@plt"),
			  "%s", name);
	}
	done();
	return found;
}

Test(symbols_stubs, names)
{
	cr_expect_eq(print_stub("-fcf-protection=none -Wl,-z,now"), 3);
	cr_expect_eq(print_stub("-fcf-protection=none -Wl,-z,lazy"), 3);
	cr_expect_eq(print_stub("-fcf-protection=full -Wl,-z,lazy,-z,ibtplt"), 3);
	cr_expect_eq(print_stub("-no-pie"), 3);
}

/* Makes a section that is not loaded, such as .comment, a table of n relocations in the hole at the file's end. */
static void add_relocations(const char *path, uint64_t n)
{
	int fd __close = open(path, O_RDWR);
	off_t end = lseek(fd, 0, SEEK_END);
	Elf64_Ehdr file;
	Elf64_Shdr section;

	cr_assert_eq(pread(fd, &file, sizeof(file), 0), (ssize_t)sizeof(file));
	for (int i = file.e_shnum - 1; i > 0; i--) {
		off_t at = (off_t)(file.e_shoff + (uint64_t)i * sizeof(section));

		cr_assert_eq(pread(fd, &section, sizeof(section), at), (ssize_t)sizeof(section));
		if (section.sh_type != SHT_PROGBITS || section.sh_flags & SHF_ALLOC)
			continue;
		section.sh_type = SHT_RELA;
		section.sh_flags |= SHF_ALLOC;
		section.sh_offset = (uint64_t)end;
		section.sh_size = n * sizeof(Elf64_Rela);
		cr_assert_eq(pwrite(fd, &section, sizeof(section), at), (ssize_t)sizeof(section));
		end += (off_t)section.sh_size;
		cr_assert_eq(ftruncate(fd, end), 0);
		return;
	}
	cr_assert_fail("no section");
}

/* Tables are read for each stub. A file that was made to hurt has names for some time only. */
Test(symbols_stubs, names_in_a_file_with_huge_tables)
{
	const char *name;
	int stubs = 0;

	fixture_text("f.c", "#include <stdio.h>\nint main(int c, char **v) { return puts(*v); }\n");
	fixture_run("$CC -O1 -o out f.c");
	add_relocations(fixture_path("out"), (1 << 26) + 1);
	begin(fixture_path("out"), (struct symbols_options){});
	for (uint64_t at = 0x200; at < 0x2000; at += 8) {
		if (!binary_stub_at(binary, at, &name))
			continue;
		stubs++;
		cr_expect_null(name);
	}
	cr_expect_gt(stubs, 1);
	done();
}

Test(symbols_stubs, resolvers)
{
	fixture_text("f.c", "static int one(void) { return 1; }\n"
			    "static int (*choose(void))(void) { return one; }\n"
			    "int many(void) __attribute__((ifunc(\"choose\")));\n");
	fixture_run("$CC -O1 -shared -fPIC -o out f.c && strip out");
	begin(fixture_path("out"), (struct symbols_options){});
	expect_name(offset_of("many"), "many@resolver");
	done();
}

static int add_mapping(const struct mapping *m, void *ctx)
{
	uint64_t *addr = ctx;

	if (*addr < m->start || *addr >= m->end || !m->exec)
		return 0;
	*addr = *addr - m->start + m->offset;
	return 1;
}

/* Where an IFUNC of libc leads in this process. */
static uint64_t implementation_of(const char *name)
{
	void *libc = dlopen("libc.so.6", RTLD_NOW);
	uint64_t addr = (uintptr_t)dlsym(libc, name);

	cr_assert(addr);
	cr_assert_eq(maps_each(0, add_mapping, &addr), 1);
	return addr;
}

/* Below an empty root there are no debug files: only .dynsym is left, which names resolvers. */
Test(symbols_stubs, implementations)
{
	char *path __free = realpath(LIBS "libc.so.6", NULL);
	uint64_t at;

	if (geteuid())
		cr_skip_test("only root starts the asker as nobody");
	module.root = fixture_dir;
	begin(path, (struct symbols_options){});
	at = implementation_of("strlen");
	expect_name(at, "strlen");
	expect_name(at + 8, "strlen");
	expect_name(offset_of("strlen"), "strlen@resolver");
	/* the same code serves both */
	if (implementation_of("memcpy") == implementation_of("memmove"))
		expect_name(implementation_of("memmove"), "memcpy");
	done();
}
