// SPDX-License-Identifier: BSD-2-Clause
/*
 * binary/binary.h: recognises files that Go has linked, by what Go's linker puts into them. tests/tools/go.sh
 * traces real ones.
 */
#include <elf.h>

#include "binary_fixture.h"

TestSuite(binary_go, .init = fixture_init);

#define INFO(flags) \
	"__asm__(\".pushsection .go.buildinfo,\\\"aw\\\"\\n.balign 16\\n" \
	".ascii \\\"\\\\377 Go buildinf:\\\"\\n.byte 8, " flags "\\n.skip 16\\n.popsection\");\n"
#define NOTE \
	"__asm__(\".pushsection .note.go.buildid,\\\"a\\\",@note\\n.balign 4\\n.long 4, 4, 4\\n" \
	".asciz \\\"Go\\\"\\n.byte 0\\n.ascii \\\"abcd\\\"\\n.popsection\");\n"
#define MAIN "int main(void) { return 0; }\n"

static const char *build(const char *name, const char *source, const char *flags)
{
	char *command __free = base_printf("$CC -O1 -o %s %s.c %s", name, name, flags);
	char *file __free = base_printf("%s.c", name);

	fixture_text(file, source);
	fixture_run(command);
	return fixture_path(name);
}

static enum binary_go look(const char *path)
{
	struct binary *binary __cleanup(binary_closep) = fixture_open(path);

	return binary_go(binary);
}

/* As after stripping everything: no section has a name. */
static const char *without_sections(const char *path)
{
	size_t n;
	char *data __free = fixture_read(path, &n);
	Elf64_Ehdr ehdr;

	memcpy(&ehdr, data, sizeof(ehdr));
	ehdr.e_shoff = ehdr.e_shnum = ehdr.e_shstrndx = 0;
	memcpy(data, &ehdr, sizeof(ehdr));
	fixture_write("nosections", data, n);
	return fixture_path("nosections");
}

Test(binary_go, c_is_not_go)
{
	const char *path = build("plain", MAIN, "");

	cr_expect_eq(look(path), BINARY_GO_NONE);
	cr_expect_eq(look(without_sections(path)), BINARY_GO_NONE);
}

Test(binary_go, build_information)
{
	const char *new = build("new", INFO("2") MAIN, ""), *old = build("old", INFO("0") MAIN, "-s");

	cr_expect_eq(look(new), BINARY_GO_REGISTERS);
	cr_expect_eq(look(old), BINARY_GO);
	cr_expect_eq(look(without_sections(new)), BINARY_GO_REGISTERS);
	cr_expect_eq(look(without_sections(old)), BINARY_GO);
}

Test(binary_go, note)
{
	const char *path = build("note", NOTE MAIN, "-s");

	cr_expect_eq(look(path), BINARY_GO);
	cr_expect_eq(look(without_sections(path)), BINARY_GO);
}

/* A C program that uses a Go library is not Go; the library is. */
Test(binary_go, library_of_a_program)
{
	const char *library = build("lib.so", NOTE INFO("2") "int twice(int x) { return 2 * x; }\n", "-shared -fPIC");
	const char *program = build("user", "int twice(int);\nint main(void) { return twice(0); }\n", "./lib.so");

	cr_expect_eq(look(library), BINARY_GO_REGISTERS);
	cr_expect_eq(look(program), BINARY_GO_NONE);
}

Test(binary_go, tables_of_functions)
{
	cr_expect_eq(look(build("table", "__attribute__((section(\".gopclntab\"))) int t = 1;\n" MAIN, "")), BINARY_GO);
	fixture_run("objcopy --rename-section .gopclntab=.data.rel.ro.gopclntab table pie");
	cr_expect_eq(look(fixture_path("pie")), BINARY_GO);
}

/* Damaged files: the section reaches beyond the file, or holds something else. */
Test(binary_go, damaged_information)
{
	const char *path = build("broken", "__attribute__((section(\".go.buildinfo\"))) int t = 1;\n" MAIN, "");

	cr_expect_eq(look(path), BINARY_GO);
}
