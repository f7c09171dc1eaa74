// SPDX-License-Identifier: BSD-2-Clause
/* binary/binary.h: USDT probes. The test writes its own notes, in the layout of systemtap's <sys/sdt.h>. */
#include "binary_fixture.h"

TestSuite(binary_usdt, .init = fixture_init);

/* PROBE(): a nop and the bytes of a name, by which the test finds the place in the file. */
static const char header[] =
	"#define BASE \".ifndef _.stapsdt.base\\n\"\\\n"
	"	\".pushsection .stapsdt.base,\\\"aG\\\",%progbits,.stapsdt.base,comdat\\n\"\\\n"
	"	\"_.stapsdt.base: .space 1\\n.popsection\\n.endif\\n\"\n"
	"#define NOTE(place, sem, desc) __asm__(BASE\\\n"
	"	\".pushsection .note.stapsdt,\\\"\\\",%note\\n.balign 4\\n\"\\\n"
	"	\".long 2f-1f, 4f-3f, 3\\n1: .asciz \\\"stapsdt\\\"\\n2: .balign 4\\n\"\\\n"
	"	\"3: .quad \" place \", _.stapsdt.base, \" sem \"\\n\" desc \"\\n\"\\\n"
	"	\"4: .balign 4\\n.popsection\\n\")\n"
	"#define PLACE(bytes) __asm__(\".text\\n990: nop\\n.ascii \\\"\" bytes \"\\\"\\n.balign "
	"16\\n\")\n"
	"#define PROBE(bytes, sem, desc) PLACE(bytes); NOTE(\"990b\", sem, desc)\n"
	"#define TEXT(s) \".asciz \\\"\" s \"\\\"\\n\"\n";

static void build(const char *probes, const char *flags)
{
	char *source __free = base_printf("%s%s\n", header, probes);
	char *command __free = base_printf("$CC -O1 %s -o out out.c", flags);

	fixture_text("out.c", source);
	fixture_run(command);
}

static bool is_at(uint64_t offset, const char *bytes)
{
	char *data __free = NULL;
	size_t n;

	data = fixture_read(fixture_path("out"), &n);
	return offset < n - strlen(bytes) && !memcmp(data + offset, bytes, strlen(bytes));
}

static const char three[] =
	"__asm__(\".pushsection .probes,\\\"aw\\\",%progbits\\n.global sem\\n.hidden sem\\n\"\n"
	"	\"sem: .ascii \\\"SEMAPHOR\\\"\\n.popsection\\n\");\n"
	"PROBE(\"SECOND\", \"0\", TEXT(\"app\") TEXT(\"get\") TEXT(\"-4@%eax 8@(%rdi)\"));\n"
	"PROBE(\"THIRD\", \"0\", TEXT(\"zoo\") TEXT(\"cat\") TEXT(\"\"));\n"
	"PROBE(\"ALSO\", \"sem\", TEXT(\"app\") TEXT(\"get\") TEXT(\"4@%ebx\"));\n"
	"PROBE(\"FIRST\", \"0\", TEXT(\"app\") TEXT(\"ask\") TEXT(\"\"));\n"
	"NOTE(\"0\", \"0\", TEXT(\"app\") TEXT(\"dropped\") TEXT(\"\"));\n"
	"int main(void) { return 0; }\n";

static void expect_three(void)
{
	const struct binary_usdt *m = NULL, *zoo;
	struct err err = { .text = "" };
	struct binary *binary = fixture_open(fixture_path("out"));
	size_t n = 0;

	cr_expect(!binary_usdt_probes(binary, &m, &n, &err), "%s", err.text);
	cr_assert(n >= 4, "%zu", n);
	/* a static program may also have probes of glibc */
	zoo = &m[n - 1];
	for (const struct binary_usdt *other = &m[3]; other < zoo; other++)
		cr_expect_str_eq(other->provider, "libc");
	cr_expect(!strcmp(m[0].provider, "app") && !strcmp(m[0].name, "ask"));
	cr_expect(!strcmp(m[1].name, "get") && !strcmp(m[2].name, "get"));
	cr_expect(!strcmp(m[1].args, "-4@%eax 8@(%rdi)"), "%s", m[1].args);
	cr_expect(!strcmp(m[2].args, "4@%ebx"));
	cr_expect(!strcmp(zoo->provider, "zoo") && !strcmp(zoo->name, "cat") && !*zoo->args);
	cr_expect(is_at(m[0].offset + 1, "FIRST") || is_at(m[0].offset + 4, "FIRST"));
	cr_expect(is_at(m[1].offset + 1, "SECOND") || is_at(m[1].offset + 4, "SECOND"));
	cr_expect(is_at(m[2].offset + 1, "ALSO") || is_at(m[2].offset + 4, "ALSO"));
	cr_expect(is_at(zoo->offset + 1, "THIRD") || is_at(zoo->offset + 4, "THIRD"));
	cr_expect(is_at(m[2].semaphore, "SEMAPHOR"), "%lx", (long)m[2].semaphore);
	cr_expect(!m[0].semaphore && !m[1].semaphore && !zoo->semaphore);
	binary_close(binary);
}

Test(binary_usdt, gives_places_and_semaphores_in_the_file)
{
	static const char *const flags[] = { "", "-no-pie", "-shared -fPIC", "-static" };

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		build(three, flags[i]);
		expect_three();
		fixture_run("strip out");
		expect_three();
	}
}

/* prelink moves a file: it writes new addresses everywhere except in the notes. */
Test(binary_usdt, follows_the_base_section)
{
	const struct binary_usdt *m = NULL;
	uint64_t before;
	struct binary *binary;
	size_t n = 0;

	build("PROBE(\"ONLY\", \"0\", TEXT(\"app\") TEXT(\"only\") TEXT(\"\"));\n"
	      "__asm__(\".text\\n.space 65536\\n\");\nint main(void) { return 0; }\n",
	      "");
	binary = fixture_open(fixture_path("out"));
	cr_assert(!binary_usdt_probes(binary, &m, &n, NULL) && n == 1);
	before = m[0].offset;
	binary_close(binary);

	fixture_run("objcopy --change-section-address .stapsdt.base+0x100 out 2>/dev/null");
	binary = fixture_open(fixture_path("out"));
	cr_assert(!binary_usdt_probes(binary, &m, &n, NULL) && n == 1);
	cr_expect(m[0].offset == before + 0x100, "%#lx, was %#lx", (long)m[0].offset, (long)before);
	binary_close(binary);
}

Test(binary_usdt, are_none_without_notes)
{
	const struct binary_usdt *m;
	struct binary *binary;
	size_t n = 7;

	build("int main(void) { return 0; }", "");
	binary = fixture_open(fixture_path("out"));
	cr_expect(!binary_usdt_probes(binary, &m, &n, NULL) && n == 0);
	binary_close(binary);
}

Test(binary_usdt, refuses_broken_notes)
{
	static const char *const broken[] = {
		"NOTE(\"main\", \"0\", \"\");",
		"NOTE(\"main\", \"0\", TEXT(\"app\") TEXT(\"get\"));",
		"NOTE(\"main\", \"0\", TEXT(\"app\") TEXT(\"get\") \".ascii \\\"unending\\\"\");",
		"NOTE(\"main\", \"0\", TEXT(\"\") TEXT(\"get\") TEXT(\"\"));",
		"NOTE(\"0x7fffffffffff\", \"0\", TEXT(\"app\") TEXT(\"get\") TEXT(\"\"));",
		"NOTE(\"main\", \"0x7fffffffffff\", TEXT(\"app\") TEXT(\"get\") TEXT(\"\"));",
		"NOTE(\"data\", \"0\", TEXT(\"app\") TEXT(\"get\") TEXT(\"\"));",
	};

	for (size_t i = 0; i < ARRAY_SIZE(broken); i++) {
		char *source __free =
			base_printf("%s\nint data = 1; int main(void) { return 0; }\n", broken[i]);
		const struct binary_usdt *m;
		struct err err = { .text = "" };
		struct binary *binary;
		size_t n;

		build(source, "-no-pie");
		binary = fixture_open(fixture_path("out"));
		cr_expect(binary_usdt_probes(binary, &m, &n, &err) == -EBADMSG, "%s", broken[i]);
		cr_expect(strstr(err.text, "USDT"), "%s", err.text);
		binary_close(binary);
	}
}
