// SPDX-License-Identifier: BSD-2-Clause
/* Texts that nobody means well, and files that are no programs: one clear message each, soon and in little memory. */
#include <fcntl.h>
#include <sys/stat.h>

#include "kernel_fixture.h"
#include "lang/lang.h"
#include "lang_fixture.h"

#define MEGABYTE (1 << 20)

/*
 * The program is `before`, n times `again`, and `behind`; the first message must have `wanted` in it. NULL: no
 * message.
 */
static void expect_message(const char *before, const char *again, size_t n, const char *behind, const char *wanted)
{
	struct str text __str = {}, many __str = {};
	struct lang_fixture fixture;

	for (int i = 0; i < 1000; i++)
		str_add(&many, again);
	str_add(&text, before);
	for (size_t i = 0; i < n / 1000; i++)
		str_addn(&text, many.data, many.len);
	for (size_t i = 0; i < n % 1000; i++)
		str_add(&text, again);
	str_add(&text, behind);
	fixture_parse_text(&fixture, text.data, text.len);
	if (!wanted)
		cr_assert(fixture.program, "%s: %s", again, str_or_empty(fixture.text.data));
	else
		cr_assert(fixture.messages.n && strstr(fixture.messages.v[0].text, wanted), "%s: %s", again,
			  fixture.messages.n ? fixture.messages.v[0].text : "no message");
	cr_assert_leq(fixture.messages.n, 3);
	/* Lines are cut: no message is longer than a screen. */
	cr_assert(wanted == NULL || fixture.text.len < 4000, "%zu", fixture.text.len);
	fixture_release_text(&fixture);
}

/* The same for what the whole compiler says; each `again` has a `close` of its own unless that is all of the end. */
static void expect_compiled(const char *before, const char *again, size_t n, const char *behind, const char *close,
			    const char *wanted)
{
	struct kernel *kernel __cleanup(kernel_freep) = kernel_new();
	const struct lang_options options = { .kernel = kernel, .n_cpus = 1, .n_shards = 1 };
	struct lang_program *program;
	struct str text __str = {};

	kernel_set_root("/nonexistent");
	str_add(&text, before);
	for (size_t i = 0; i < n; i++)
		str_add(&text, again);
	str_add(&text, behind);
	for (size_t i = 0; i < (*behind ? n + 1 : 1); i++)
		str_add(&text, close);
	program = lang_compile("stdin", text.data, text.len, &options);
	cr_assert_eq(program->messages.errors, 1);
	cr_assert(strstr(program->messages.v[0].text, wanted), "%s", program->messages.v[0].text);
	lang_program_free(program);
}

Test(lang_hostile, nesting)
{
	expect_message("begin { ", "(", 1000000, "", "nested too deeply");
	expect_message("begin { ", "{", 1000000, "", "nested too deeply");
	expect_message("begin { ", "-", 500000, "1", "nested too deeply");
	expect_message("begin { ", "- ", 500000, "1", "nested too deeply");
	expect_message("begin { ", "@x[", 500000, "", "nested too deeply");
	expect_message("begin { ", "f(", 500000, "", "nested too deeply");
	expect_message("begin { ", "(u8)", 500000, "1", "nested too deeply");
	expect_message("begin { ", "typeof(", 500000, "", "expected");
	expect_message("begin { ", "if (1) ", 500000, "", "expected '{'");
	expect_message("begin { ", "if (1) { ", 500000, "", "nested too deeply");
	expect_message("begin { if (1) { }", " else if (1) { }", 50000, "}", "nested too deeply");
	expect_message("begin { $x = 1", " ? 1 : 1", 50000, "; }", "nested too deeply");
	expect_message("begin { $x = ", "1 ? ", 50000, "; }", "nested too deeply");
	expect_message("", "struct { ", 500000, "", "nested too deeply");
	expect_message("#if ", "(", 500000, "1", "nested too deeply");
	expect_message("#if ", "!", 500000, "1", "nested too deeply");
	/* What is allowed is enough. */
	expect_message("begin { $x = ", "(", 150, "1", "expected ')'");
}

Test(lang_hostile, length)
{
	expect_message("begin { $x = 1", " + 1", 100000, "; }", "too long");
	expect_message("begin { $x = $y", ".a", 100000, "; }", "too long");
	expect_message("begin { $x = 1", " + 1", 900, "; }", NULL);
	expect_message("begin { ", "1; ", 300000, "}", "too large");
	expect_message("begin { ", ";", MEGABYTE, "}", NULL);
	expect_message("begin { } //", "x", 10 * MEGABYTE, "", NULL);
	expect_message("begin { \"", "x", MEGABYTE, "", "no end");
	expect_message("begin { ", "x", MEGABYTE, "", "expected");
	expect_message("begin { /*", "/* ", MEGABYTE, "", "no end");
	expect_message("kprobe:", "a/", MEGABYTE, ":x { } ", NULL);
	expect_message("kprobe:a", ",kprobe:a", 50000, " { }", NULL);
	expect_message("#if 0\n", "/*\n", 300000, "#endif\n", "no #endif");
	expect_message("", "#if 1\n", 20000, "", "no #endif");
	expect_message("struct s { int ", "a,", 200000, "b; };", "twice");
	expect_message("enum e { ", "A,", 10, "};", "declared already");
}

/* Each doubles what the one before makes. */
static void add_doubling(struct str *text, const char *fmt)
{
	for (int i = 0; i < 40; i++)
		str_addf(text, fmt, i + 1, i, i);
}

Test(lang_hostile, doubling)
{
	struct str text __str = {};

	str_add(&text, "#define A0 1\n");
	add_doubling(&text, "#define A%d A%d + A%d\n");
	expect_message(text.data, "", 0, "begin { A40 }", "#define makes more than");
	expect_message(text.data, "", 0, "#if A40\n#endif\nbegin { }", "takes too long");
	str_reset(&text);
	str_add(&text, "macro m0() { 1 }\n");
	add_doubling(&text, "macro m%d() { m%d() + m%d() }\n");
	expect_message(text.data, "", 0, "begin { m40() }", "more than");
	str_reset(&text);
	str_add(&text, "macro m0(x) { x }\n");
	add_doubling(&text, "macro m%d(x) { m%d(x + x) + m%d(x) }\n");
	expect_message(text.data, "", 0, "begin { m40(1) }", "more than");
}

/* Programs that no kernel would accept end with a message, not after minutes. */
Test(lang_hostile, size)
{
	struct str text __str = {};

	str_add(&text, "begin { ");
	for (int i = 0; i < 5000; i++)
		str_addf(&text, "$x%d = 1; ", i);
	expect_message(text.data, "", 0, "}", "more than 4000 variables");
	expect_compiled("begin { ", "unroll (10) { ", 100, "print(1);", "}", "too large from here on");
	expect_compiled("begin { ", "@[1] = count(); ", 5000, "", "}", "too large from here on");
}

Test(lang_hostile, recursion)
{
	expect_message("#define A B\n#define B A\n", "", 0, "begin { A }", NULL);
	expect_message("#define A B\n#define B A\n#if A\n#endif\n", "", 0, "begin { }", NULL);
	expect_message("macro f() { f() }", "", 0, "begin { f() }", "calls itself: f > f");
	/* An argument is the caller's. */
	expect_message("macro f(x) { x + 1 } begin { ", "f(", 50,
		       "1))))))))))))))))))))))))))))))))))))))))))))))))))}", NULL);
	expect_message("struct a { struct a b; };", "", 0, "begin { }", "size of this field is not known");
	expect_message("typedef t t; begin { }", "", 0, "", "no type 't'");
}

Test(lang_hostile, bytes)
{
	struct lang_fixture fixture;
	char all[256];

	/* Every byte where a token may be. */
	for (int c = 1; c < 256; c++) {
		if (c == '}')
			continue;
		snprintf(all, sizeof(all), "begin { %c", c);
		fixture_parse_text(&fixture, all, strlen(all));
		cr_assert(!fixture.program && fixture.messages.errors == 1, "%d", c);
		fixture_release_text(&fixture);
	}
	fixture_parse_text(&fixture, "begin { \0 }", 11);
	cr_assert_str_eq(fixture.messages.v[0].text, "a NUL byte in the program");
	fixture_release_text(&fixture);
	fixture_parse_text(&fixture, "kprobe:a\0b { }", 14);
	cr_assert_eq(fixture.messages.errors, 1);
	fixture_release_text(&fixture);
	/* What a terminal would obey is escaped. */
	fixture_parse_text(&fixture, "begin { \033[2J }", 14);
	cr_assert(!strchr(fixture.text.data, '\033') && strstr(fixture.text.data, "\\x1b[2J"), "%s", fixture.text.data);
	fixture_release_text(&fixture);
	expect_tree("", "stdin:1:1-2: ERROR: the program has no probe: expected one, as in begin { ... }\n\n~\n");
}

/* --- files --- */

static char *write_file(const char *name, const char *text, size_t len)
{
	char *path = base_printf("%s/%s", fixture_dir, name);
	FILE *file __fclose = fopen(path, "w");

	cr_assert(file && fwrite(text, 1, len, file) == len);
	return path;
}

static void expect_unreadable(const char *path, int code, const char *wanted)
{
	struct lang_sources sources = {};
	struct err err = {};
	uint32_t index;

	cr_assert_eq(lang_sources_read(&sources, path, &index, &err), code, "%s: %s", path, err.text);
	cr_assert(strstr(err.text, wanted), "%s", err.text);
	lang_sources_release(&sources);
}

Test(lang_hostile, files, .init = fixture_init, .fini = fixture_fini)
{
	char *nul __free = write_file("nul.bt", "begin {\0}", 9), *path __free = NULL, *large __free = NULL;
	struct str text __str = {};

	str_add_fill(&text, ' ', MEGABYTE + 1);
	large = write_file("large.bt", text.data, text.len);
	path = base_printf("%s/none.bt", fixture_dir);
	expect_unreadable(nul, -EILSEQ, "it has a NUL byte");
	expect_unreadable(large, -E2BIG, "more than 1 MB");
	expect_unreadable(fixture_dir, -EISDIR, "is a directory, not a program");
	expect_unreadable(path, -ENOENT, "none.bt");
	expect_unreadable("/dev/zero", -ENOEXEC, "/dev/zero");
}

Test(lang_hostile, carriage_returns, .init = fixture_init, .fini = fixture_fini)
{
	static const char text[] = "begin {\r\n  \"a\\\r\nb\" \r }\r\n";
	char *path __free = write_file("crlf.bt", text, sizeof(text) - 1);
	struct lang_sources sources = {};
	struct err err = {};
	uint32_t index;

	cr_assert_eq(lang_sources_read(&sources, path, &index, &err), 0);
	cr_assert_str_eq(sources.v[index].text, "begin {\n  \"a\\\nb\" \r }\n");
	cr_assert_eq(sources.v[index].len, strlen(sources.v[index].text));
	lang_sources_release(&sources);
}

static void expect_import(const char *program, const char *wanted)
{
	char *path __free = write_file("main.bt", program, strlen(program));
	struct parse_options options = { .has_btf = true };
	struct lang_sources sources = {};
	struct lang_messages messages = {};
	struct pool pool = {};
	struct ctypes *types = ctypes_new(&pool);
	struct ast_program *parsed;
	struct str shown __str = {};
	struct err err = {};
	uint32_t index;

	cr_assert_eq(lang_sources_read(&sources, path, &index, &err), 0);
	parsed = lang_parse(&sources, index, &options, types, &pool, &messages);
	if (parsed)
		ast_show(parsed, &shown);
	else
		str_add(&shown, messages.v[0].text);
	cr_assert_str_eq(shown.data, wanted, "%s\n%s", program, shown.data);
	lang_messages_release(&messages);
	lang_sources_release(&sources);
	ctypes_free(types);
	pool_release(&pool);
}

Test(lang_hostile, imports, .init = fixture_init, .fini = fixture_fini)
{
	static const char first[] = "import \"second.bt\"; macro a() { b() } begin { 1 }";
	static const char second[] = "import \"first.bt\"; import \"main.bt\"; macro b() { 5 }";
	static const char header[] = "#ifndef H\n#define H 7\nstruct s { int x; } s;\nextern int f(int);\n"
				     "static inline int g(void) { return 1; }\nint table[] = { 1, { 2 } };\n#endif\n";
	char *a __free = NULL, *b __free = NULL, *c __free = NULL, *d __free = NULL;

	a = write_file("first.bt", first, strlen(first));
	b = write_file("second.bt", second, strlen(second));
	c = write_file("x.h", header, strlen(header));
	d = write_file("open.bt", "#if 1\n", 6);
	/* Each file is read once, in whatever circle. */
	expect_import("import \"first.bt\"; import \"first.bt\"; end { a() }",
		      "(probe \"begin\" { (do 1) })\n(probe \"end\" { (do 5) })\n");
	expect_import("#include \"x.h\"\nimport \"x.h\"; begin { H }", "(probe \"begin\" { (do 7) })\n");
	/* What bpftrace keeps in its library is built in here. */
	expect_import("import \"stdlib/base.bt\"; begin { }", "(probe \"begin\" { })\n");
	/* A condition ends in the file that it began in. */
	expect_import("import \"open.bt\"; begin { }", "this #if has no #endif");
}
