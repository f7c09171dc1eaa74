// SPDX-License-Identifier: BSD-2-Clause
/* Help, man pages and completion, checked by their readers: groff, mandoc and bash. */
#include <criterion/criterion.h>

#include "base/str.h"
#include "options/doc.h"

struct settings {
	uint32_t top, pid;
	int sort;
	const char *color, *command, *output;
	bool json;
};

static const char *const keys[] = { "count", "name", "it's", "$(id)", NULL };

static const struct opt own[] = {
	OPT(OPT_CHOICE, struct settings, sort, 's', "sort", "KEY", "order by", .choices = keys),
	OPT(OPT_STRING, struct settings, color, 'C', "color", "WHEN",
	    "colour the table, with a help that is long enough to need a second line here",
	    .optional_arg = true),
	OPT(OPT_U32, struct settings, top, 'p', NULL, "N", "print the first N"),
	OPT(OPT_U32, struct settings, top, 0, "a-name-that-is-longer-than-most", "N", "far right"),
};
static const struct opt common[] = {
	OPT(OPT_U32, struct settings, pid, 'p', "pid", "PID", "trace only this process"),
	OPT(OPT_BOOL, struct settings, json, 'j', "json", NULL, "print JSON lines"),
	OPT(OPT_STRING, struct settings, command, 'c', "command", "CMD", "start CMD"),
	OPT(OPT_STRING, struct settings, output, 'o', "output", "FILE", "write to FILE"),
};
static const struct opt hidden[] = {
	OPT(OPT_BOOL, struct settings, json, 'j', "json", NULL, "never shown"),
};
static const struct opt_table tables[] = {
	{ NULL, own, ARRAY_SIZE(own), NULL },
	{ "common options", common, ARRAY_SIZE(common), NULL },
	{ "nothing left", hidden, ARRAY_SIZE(hidden), NULL },
	{ "empty", NULL, 0, NULL },
};
static const struct doc_example examples[] = {
	{ "sonde funccount 'vfs_*'", "count kernel functions by glob" },
	{ "sonde funccount -r '^tcp\\.x$' ~/x", "\\fBnot bold\\fR" },
};
static const struct doc docs[] = {
	{ .name = "funccount",
	  .brief = "count function calls",
	  .group = GROUP_OFTEN,
	  .args = "SPEC...",
	  .description = "First sentence. Second, e.g. this one: -x `y` 'z'.\n"
			 ".TH in a text is no request, and the line goes on until it is longer "
			 "than the limit.\n\n"
			 "'A second\nparagraph.",
	  .examples = examples,
	  .n_examples = ARRAY_SIZE(examples),
	  .tables = tables,
	  .n_tables = ARRAY_SIZE(tables) },
	{ .name = "reset-trace", .brief = "clean up", .group = GROUP_CRASH },
};

static char *help(const struct doc *doc)
{
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	doc_help(out, doc);
	fclose(out);
	return text;
}

Test(doc, help)
{
	char *text __free = help(&docs[0]), *bare __free = help(&docs[1]);

	cr_expect_str_eq(
		text,
		"usage: sonde funccount [options] SPEC...\n"
		"\n"
		"count function calls\n"
		"\n"
		"options:\n"
		"  -s, --sort KEY      order by: count, name, it's, $(id)\n"
		"  -C, --color[=WHEN]  colour the table, with a help that is long enough to need\n"
		"                      a second line here\n"
		"  -p N                print the first N\n"
		"      --a-name-that-is-longer-than-most N\n"
		"                      far right\n"
		"\n"
		"common options:\n"
		"      --pid PID       trace only this process\n"
		"  -j, --json          print JSON lines\n"
		"  -c, --command CMD   start CMD\n"
		"  -o, --output FILE   write to FILE\n"
		"\n"
		"examples:\n"
		"  sonde funccount 'vfs_*'\n"
		"      count kernel functions by glob\n"
		"  sonde funccount -r '^tcp\\.x$' ~/x\n"
		"      \\fBnot bold\\fR\n");
	cr_expect_str_eq(bare, "usage: sonde reset-trace [options]\n\nclean up\n");
}

/* Short options that a tool redefines are shown, and the common option that loses its letter shows none. */
Test(doc, letters_of_a_tool)
{
	const struct opt_table given[] = {
		{ NULL, own, ARRAY_SIZE(own), NULL },
		{ "common options", common, ARRAY_SIZE(common), NULL, "P:pid s:command J:json" },
	};
	const struct doc doc = { .name = "x", .brief = "y", .tables = given, .n_tables = ARRAY_SIZE(given) };
	char *text __free = help(&doc);

	cr_expect(strstr(text, "\n  -P, --pid "), "%s", text);
	cr_expect(strstr(text, "\n  -J, --json "), "%s", text);
	cr_expect(strstr(text, "\n      --command "), "-s is --sort: %s", text);
	cr_expect(strstr(text, "\n  -o, --output "), "%s", text);
}

/* Options that a tool lacks are not listed. */
Test(doc, what_a_tool_lacks)
{
	static const struct opt_lack lacks[] = { { "pid output", "why" }, {} };
	const struct opt_table given = { NULL, common, ARRAY_SIZE(common), NULL, .lacks = lacks };
	const struct doc doc = { .name = "x", .brief = "y", .description = "z", .tables = &given, .n_tables = 1 };
	char *text __free = help(&doc), *script = NULL;
	size_t n;
	FILE *out = open_memstream(&script, &n);

	doc_completion(out, &doc, 1);
	doc_man(out, &doc, "1", "2026-01-01");
	fclose(out);
	cr_expect(strstr(text, "--command") && strstr(script, "--command"));
	cr_expect(!strstr(text, "pid") && !strstr(script, "pid"), "%s%s", text, script);
	cr_expect(!strstr(text, "output") && !strstr(script, "output"), "%s%s", text, script);
	free(script);
}

/* The main page has a part for each group that has tools, in the order of the groups. */
Test(doc, main_page_is_by_groups)
{
	const struct doc given[] = { docs[1], docs[0] };
	char *text __free = NULL, *often, *crash;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	doc_man_main(out, given, ARRAY_SIZE(given), "1", "2026-01-01");
	fclose(out);
	often = strstr(text, ".SS \"How often?\"\n.TP\n\\fBfunccount\\fR\n");
	crash = strstr(text, ".SS \"After a crash\"\n.TP\n\\fBreset\\-trace\\fR\n");
	cr_expect(often && crash && often < crash, "%s", text);
	cr_expect(!strstr(text, "What is slow"), "%s", text);
}

/* Words of every length, so that some line would be one column too long. */
Test(doc, help_stays_within_80_columns)
{
	for (size_t word = 1; word < 40; word++) {
		struct str prose __str = {};
		char *text __free = NULL;
		struct opt opt = { .type = OPT_BOOL, .name = "flag" };
		struct opt_table table = { NULL, &opt, 1, NULL };
		struct doc doc = { .name = "x", .tables = &table, .n_tables = 1 };

		for (size_t i = 0; i < 200 / word; i++) {
			str_add_fill(&prose, 'a', word);
			str_addc(&prose, ' ');
		}
		opt.help = doc.brief = doc.args = prose.data;
		text = help(&doc);
		for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
			cr_expect_leq(strlen(line), 80, "%s", line);
	}
}

/* Calls fn with a new file to write to. Returns its path; the caller removes the file and frees the path. */
static char *file_of(void (*fn)(FILE *out))
{
	char *path = base_strdup("/tmp/sonde-doc-XXXXXX");
	FILE *out = fdopen(mkstemp(path), "w");

	fn(out);
	fclose(out);
	return path;
}

/* The output of a shell command, with stderr; %s in it is the path. */
static char *shell(const char *fmt, const char *path)
{
	char *command __free = NULL, *text = NULL;
	size_t n = 0;
	FILE *pipe;

	cr_assert_geq(asprintf(&command, fmt, path), 0);
	pipe = popen(command, "r");
	if (getdelim(&text, &n, '\0', pipe) < 0) {
		free(text);
		text = base_strdup("");
	}
	pclose(pipe);
	return text;
}

static void page(FILE *out)
{
	doc_man(out, &docs[0], "v0.1-3-g12", "2024-05-01");
}

static void bare_page(FILE *out)
{
	doc_man(out, &docs[1], "v0.1-3-g12", "2024-05-01");
}

static void main_page(FILE *out)
{
	doc_man_main(out, docs, ARRAY_SIZE(docs), "v0.1-3-g12", "2024-05-01");
}

static void check_page(void (*fn)(FILE *out))
{
	char *path __free = file_of(fn);
	char *warnings __free = NULL, *source __free = NULL;

	warnings = shell("groff -man -ww -Tutf8 %s 2>&1 >/dev/null", path);
	cr_expect_str_eq(warnings, "");
	/* mandoc is stricter, but not installed everywhere */
	source = shell("! command -v mandoc >/dev/null || mandoc -Tlint -Wstyle %s 2>&1", path);
	cr_expect_str_eq(source, "");
	unlink(path);
}

Test(doc, man_pages_are_clean)
{
	check_page(page);
	check_page(bare_page);
	check_page(main_page);
}

Test(doc, man_page_shows_what_was_written)
{
	static const char *const shown[] = {
		"SONDE-FUNCCOUNT(8)",
		"sonde-funccount - count function calls",
		"sonde funccount [options] SPEC...",
		"First sentence.",
		"e.g. this one: -x `y` 'z'.",
		".TH in a text is no request",
		"'A second paragraph.",
		"-s, --sort KEY",
		"Order by: count, name, it's, $(id).",
		"-C, --color[=WHEN]",
		"-p N ",
		"\n --pid PID",
		"sonde funccount -r '^tcp\\.x$' ~/x",
		"\\fBnot bold\\fR",
		"sonde v0.1-3-g12",
		"2024-05-01",
		"sonde(8)",
	};
	char *path __free = file_of(page);
	char *text __free = shell("groff -man -Tascii -rLL=100n %s | sed 's/\x1b\\[[0-9;]*m//g' | "
				  "col -b | tr -s ' \\t' ' '",
				  path);

	for (size_t i = 0; i < ARRAY_SIZE(shown); i++)
		cr_expect_not_null(strstr(text, shown[i]), "'%s' is not in:\n%s", shown[i], text);
	cr_expect_null(strstr(text, "never shown"));
	cr_expect_null(strstr(text, "othing left"));
	unlink(path);
}

Test(doc, main_page_lists_the_tools)
{
	char *path __free = file_of(main_page);
	char *text __free = shell(
		"groff -man -Tascii %s | sed 's/\x1b\\[[0-9;]*m//g' | col -b | tr -s ' \\t' ' '",
		path);

	cr_expect_not_null(strstr(text, "\n funccount\n"));
	cr_expect_not_null(strstr(text, "Clean up."));
	cr_expect_not_null(strstr(text, "sonde-reset-trace(8)"));
	unlink(path);
}

static void completion(FILE *out)
{
	doc_completion(out, docs, ARRAY_SIZE(docs));
}

Test(doc, completes)
{
	/* the words as bash splits them, the last is completed; answers sorted */
	static const struct {
		const char *words, *answers;
	} cases[] = {
		{ "sonde f", "funccount" },
		{ "sonde --v", "--version" },
		{ "sonde ''", "--help --version funccount help reset-trace version" },
		{ "sonde help f", "funccount" },
		{ "sonde help funccount f", "" },
		{ "sonde funccount --s", "--sort" },
		{ "sonde funccount --",
		  "--a-name-that-is-longer-than-most --color --command --json --output "
		  "--pid --sort" },
		{ "/usr/bin/funccount --so", "--sort" },
		{ "sonde funccount --sort n", "name" },
		{ "sonde funccount -s c", "count" },
		{ "sonde funccount --sort = n", "name" },
		{ "sonde funccount --sort =", "$(id) count it's name" },
		{ "funccount -v --sort i", "it's" },
		{ "sonde funccount -p ''", "" },
		{ "sonde funccount --color /de", "/dev" },
		{ "sonde funccount --color = /de", "" },
		{ "sonde funccount -o /de", "/dev" },
		{ "sonde funccount /de", "/dev" },
		{ "sonde funccount /bin/x : /de", "/dev" },
		{ "sonde funccount -- printen", "printenv" },
		{ "sonde funccount -c printen", "printenv" },
		{ "sonde funccount -- ls /de", "/dev" },
		{ "sonde funccount -- ls --s", "" },
		{ "sonde reset-trace --s", "" },
	};
	char *path __free = file_of(completion);

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *command __free =
			base_printf("cd / && bash -uc '. \"$0\"; COMP_WORDS=(\"$@\"); "
				    "COMP_CWORD=$(($# - 1)); _sonde; "
				    "printf \"%%%%s\\n\" \"${COMPREPLY[@]}\"' %%s %s 2>&1 | "
				    "LC_ALL=C sort -u | paste -sd' '",
				    cases[i].words);
		char *answers __free = shell(command, path);

		answers[strcspn(answers, "\n")] = '\0';
		cr_expect_str_eq(answers, cases[i].answers, "%s: %s", cases[i].words, answers);
	}
	unlink(path);
}

Test(doc, completion_is_bound_to_sonde_and_its_links)
{
	char *path __free = file_of(completion);
	char *bound __free = shell("bash -c '. %s; complete -p | sort'", path);

	cr_expect_str_eq(bound, "complete -F _sonde funccount\ncomplete -F _sonde reset-trace\n"
				"complete -F _sonde sonde\n");
	unlink(path);
}
