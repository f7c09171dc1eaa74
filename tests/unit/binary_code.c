// SPDX-License-Identifier: BSD-2-Clause
/* binary/binary_code.h: finds where instructions begin, in a file that the test makes. */
#include <elf.h>

#include "binary_fixture.h"
#include "binary/binary_code.h"
#include "binary/instruction.h"

TestSuite(binary_code, .init = fixture_init);

#define FUNCTION(name, type, body, size) \
	"__asm__(\".text\\n.balign 16\\n.globl " name "\\n.type " name "," type "\\n" name ":\\n" body "\\n" size "\");\n"
#define STR_(number) #number
#define STR(number)  STR_(number)
#define SIZE(name)   ".size " name ",.-" name "\\n"

/*
 * longer: instructions at 0, 4 and 8 on both machines. unsized says nothing of its length, wrong is data in the
 * code, broken has an instruction behind something that is none, and inrodata is a function only by its symbol.
 */
#if defined(__x86_64__)
#define LONGER ".byte 0xf3,0x0f,0x1e,0xfa\\n.byte 0x0f,0x1f,0x40,0x00\\n.byte 0x48,0x31,0xc0\\nret"
#define WRONG  ".byte 0x06,0x06,0x06,0x06"
#define INSIDE 5
#else
#define LONGER "nop\\nnop\\nmov x0, xzr\\nret"
#define WRONG  ".long 0"
#define INSIDE 6
#endif

static const char source[] =
	FUNCTION("longer", "%function", LONGER, SIZE("longer"))
		FUNCTION("padded", "%function", "ret\\n.balign 64", ".size padded,4\\n")
			FUNCTION("unsized", "%function", "nop\\nret", "")
				FUNCTION("wrong", "%function", WRONG, "")
					FUNCTION("broken", "%function", WRONG "\\nret", SIZE("broken")) "__asm__(\".section .rodata\\n.type inrodata,%function\\n.globl inrodata\\n.balign 4\\n"
													"inrodata: .long 1,2\\n" SIZE("inrodata") ".text\");\n"
																		  "int main(void) { return 0; }\n";

/* Code and read-only data share a segment: only sections distinguish them. */
static struct binary *build(void)
{
	fixture_text("a.c", source);
	fixture_run("$CC -O1 -Wl,-z,noseparate-code -o a a.c");
	return fixture_open(fixture_path("a"));
}

static int check(struct binary *binary, const char *name, uint64_t offset, char *text)
{
	const struct binary_symbol *function = fixture_find(binary, name);
	struct err err = { .text = "" };
	int ret;

	cr_assert(function, "%s", name);
	ret = binary_check_offset(binary, function, offset, &err);
	strcpy(text, err.text);
	return ret;
}

Test(binary_code, instructions)
{
	struct binary *binary __cleanup(binary_closep) = build();
	char text[400];

	for (uint64_t at = 0; at <= 8; at += 4)
		cr_expect_eq(check(binary, "longer", at, text), 0, "%d: %s", (int)at, text);
	cr_expect_eq(check(binary, "longer", INSIDE, text), -EILSEQ);
	cr_expect(strstr(text, "inside an instruction"), "%s", text);
}

Test(binary_code, beyond_the_end)
{
	struct binary *binary __cleanup(binary_closep) = build();
	char text[400];

	cr_expect_eq(check(binary, "padded", 4, text), -ERANGE);
	cr_expect_str_eq(text, "'padded' ends before +0x4: it is 0x4 bytes long");
	cr_expect_eq(check(binary, "padded", 1ULL << 63, text), -ERANGE);
	cr_expect_eq(check(binary, "longer", 400, text), -ERANGE);
}

Test(binary_code, without_a_size)
{
	struct binary *binary __cleanup(binary_closep) = build();
	char text[400];

	cr_expect_eq(check(binary, "unsized", 0, text), 0, "%s", text);
	cr_expect_eq(check(binary, "unsized", 4, text), -EINVAL);
	cr_expect_eq(check(binary, "wrong", 0, text), -EILSEQ);
}

Test(binary_code, behind_what_is_no_instruction)
{
	struct binary *binary __cleanup(binary_closep) = build();
	char text[400];

	cr_expect_neq(check(binary, "broken", 4, text), 0);
}

Test(binary_code, symbol_in_data)
{
	struct binary *binary __cleanup(binary_closep) = build();
	char text[400];

	cr_expect_eq(check(binary, "inrodata", 0, text), -EINVAL);
	cr_expect_eq(check(binary, "inrodata", 4, text), -EINVAL);
}

/* start is exported; plain and tail are not. Only a debug file names inside, in the middle of an instruction. */
#define STATIC(name) ".type " name ",%function\\n" name ":\\n" LONGER "\\n" SIZE(name)

#define INSIDE_PLAIN \
	"__asm__(\"" STATIC("plain") STATIC("tail") ".type inside,%function\\n.set inside,plain+" STR(INSIDE) "\\n.size inside,4\");\n"

static const char with_lies[] = FUNCTION("start", "%function", LONGER, SIZE("start")) INSIDE_PLAIN
	"int main(void) { return 0; }\n";

static void expect_lies(const char *file, const char *source)
{
	struct binary *binary __cleanup(binary_closep) = fixture_open(fixture_path(file));
	char text[400];

	for (uint64_t at = 0; at <= 8; at += 4) {
		cr_expect_eq(check(binary, "plain", at, text), 0, "+%d: %s", (int)at, text);
		cr_expect_eq(check(binary, "tail", at, text), 0, "+%d: %s", (int)at, text);
	}
	cr_expect_eq(check(binary, "start", 4, text), 0, "%s", text);
	cr_expect_eq(check(binary, "inside", 0, text), -EILSEQ);
	/* on arm64 the address alone says so */
	cr_expect(INSTRUCTION_ALIGN > 1 || strstr(text, source), "%s", text);
	cr_expect_neq(check(binary, "inside", 1, text), 0);
}

Test(binary_code, debug_files_that_lie)
{
	fixture_text("a.c", with_lies);
	fixture_run("$CC -O1 -Wl,--build-id=none -rdynamic -o a a.c && objcopy --only-keep-debug a a.debug && cp a b &&\n"
		    "strip a && objcopy --add-gnu-debuglink=a.debug a");
	expect_lies("a", "/a.debug says that an instruction begins there; the file itself does not confirm it");
	fixture_run("xz -k a.debug && strip b && objcopy --add-section .gnu_debugdata=a.debug.xz b");
	expect_lies("b", "only .gnu_debugdata says");
}

static int place(struct binary *binary, const char *name, uint64_t offset, const char **in)
{
	const struct binary_symbol *symbol = fixture_find(binary, name), *function = NULL;
	int ret = binary_check_place(binary, symbol->offset + offset, &function, NULL);

	*in = function ? function->name : "";
	return ret;
}

Test(binary_code, places)
{
	struct binary *binary __cleanup(binary_closep) = build();
	const char *in;

	cr_expect_eq(place(binary, "longer", 0, &in), 0);
	cr_expect_eq(place(binary, "longer", 8, &in), 0);
	cr_expect_str_eq(in, "longer");
	cr_expect_eq(place(binary, "longer", INSIDE, &in), -EILSEQ);
	/* between two functions, in data, in a function of no known length */
	cr_expect_eq(place(binary, "padded", 8, &in), -ENOENT);
	cr_expect_eq(place(binary, "padded", 63, &in), -ENOENT);
	cr_expect_neq(place(binary, "inrodata", 4, &in), 0);
	cr_expect_eq(place(binary, "unsized", 0, &in), 0);
	cr_expect_eq(place(binary, "unsized", 4, &in), -ENOENT);
}

static int usdt(struct binary *binary, const char *name, uint64_t offset)
{
	return binary_check_usdt(binary, fixture_find(binary, name)->offset + offset, NULL);
}

Test(binary_code, usdt_probes)
{
	struct binary *binary __cleanup(binary_closep) = build();

	cr_expect_eq(usdt(binary, "unsized", 0), 0, "a nop needs no function around it");
	cr_expect_eq(usdt(binary, "longer", 4), 0);
	cr_expect_eq(usdt(binary, "longer", 8), 0, "no nop, but an instruction");
	cr_expect_eq(usdt(binary, "longer", INSIDE), -EILSEQ);
	cr_expect_neq(usdt(binary, "inrodata", 0), 0);
	cr_expect_neq(usdt(binary, "wrong", 0), 0);
}

/* Without section headers, segments decide what is code. */
Test(binary_code, without_sections)
{
	struct binary *binary __cleanup(binary_closep) = build(), *bare __cleanup(binary_closep) = NULL;
	const struct binary_symbol *longer = fixture_find(binary, "longer");
	size_t n;
	char *data __free = fixture_read(fixture_path("a"), &n);
	Elf64_Ehdr ehdr;

	memcpy(&ehdr, data, sizeof(ehdr));
	ehdr.e_shoff = ehdr.e_shnum = ehdr.e_shstrndx = 0;
	memcpy(data, &ehdr, sizeof(ehdr));
	fixture_write("bare", data, n);
	bare = fixture_open(fixture_path("bare"));
	cr_expect_eq(binary_check_offset(bare, longer, 8, NULL), 0);
	cr_expect_eq(binary_check_offset(bare, longer, INSIDE, NULL), -EILSEQ);
}
