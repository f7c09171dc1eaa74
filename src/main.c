// SPDX-License-Identifier: BSD-2-Clause
/* sonde TOOL ..., or a link named after the tool; and what can be said of the tools themselves. */
#include <fcntl.h>

#include "base/report.h"
#include "run/elsewhere.h"
#include "run/front.h"
#include "run/run.h"
#include "run/signals.h"

/* linked: only those that have a program of their name. */
static int print_names(bool linked)
{
	size_t n;
	const struct tool *const *tools = tool_list(&n);

	for (size_t i = 0; i < n; i++)
		if (!linked || !tools[i]->unlinked)
			puts(tools[i]->name);
	return fflush(stdout) ? 1 : 0;
}

/* A candidate; ctx: what is typed, with which it is to begin. */
static void print_offer(const char *text, void *ctx)
{
	if (!strncmp(text, ctx, strlen(ctx)))
		puts(text);
}

static opt_offers offers_of(const struct tool *tool, const char *option)
{
	struct opt_table tables[TOOL_TABLES];
	size_t n = run_tables(tool, NULL, NULL, tables);

	for (size_t t = 0; t < n; t++)
		for (size_t i = 0; i < tables[t].n; i++)
			if (tables[t].opts[i].name && !strcmp(tables[t].opts[i].name, option))
				return tables[t].opts[i].offers;
	return NULL;
}

/* For the completion script: --complete TOOL [--OPTION] WORD. */
static int complete(int argc, char **argv)
{
	const struct tool *tool = argc > 1 ? tool_find(argv[0]) : NULL;
	bool option = argc > 2 && !strncmp(argv[1], "--", 2);
	opt_offers offers = !tool ? NULL : option ? offers_of(tool, argv[1] + 2)
						  : tool->offers;
	char *word = argv[argc - 1];

	if (!offers)
		return 1;
	offers(word, print_offer, word);
	return fflush(stdout) ? 1 : 0;
}

/* behind: the word behind the name, or NULL: the answer for "perf stat" is not that for perf. */
static int unknown_tool(const char *name, const char *behind)
{
	__free char *both = base_printf("%s %s", name, behind ? behind : "");
	struct err err = {};
	struct elsewhere elsewhere;
	int ret;

	if (elsewhere_find(both, &elsewhere))
		name = both;
	ret = tool_unknown(name, &err);
	report_err(&err, NULL);
	if (ret == -ENOENT && elsewhere_find(name, &elsewhere) && *elsewhere.note)
		report_line("%s", elsewhere.note);
	return ret == -ENOENT ? 2 : 1;
}

/* Documentation is written by the program itself, at build time, from the tables that it parses with. */
static int print_doc(const char *form, const char *name)
{
	size_t n;
	const struct tool *const *tools = tool_list(&n);
	__free struct opt_table(*tables)[TOOL_TABLES] = base_alloc(n * sizeof(*tables));
	__free struct doc *docs = base_alloc(n * sizeof(*docs));
	const struct tool *tool = name ? tool_find(name) : NULL;

	for (size_t i = 0; i < n; i++)
		docs[i] = tool_doc(tools[i], tables[i]);
	if (!strcmp(form, "--completion")) {
		doc_completion(stdout, docs, n);
	} else if (!name) {
		doc_man_main(stdout, docs, n, SONDE_VERSION, SONDE_DATE);
	} else if (!tool) {
		return unknown_tool(name, NULL);
	} else {
		struct doc doc = tool_doc(tool, tables[0]);

		doc_man(stdout, &doc, SONDE_VERSION, SONDE_DATE);
	}
	return run_printed();
}

/* An argument that nothing uses. */
static int refuse(const char *arg)
{
	report_error("unexpected argument '%s'", arg);
	return 2;
}

static int help(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[2] : NULL;
	char *arguments[] = { argv[0], "--help", NULL };
	const struct tool *tool;

	if (!what) {
		front_list(stdout);
		return run_printed();
	}
	if (!strcmp(what, "--names") || !strcmp(what, "--links"))
		return print_names(!strcmp(what, "--links"));
	if (!strcmp(what, "--complete"))
		return complete(argc - 3, argv + 3);
	if (!strcmp(what, "--man") || !strcmp(what, "--completion"))
		return print_doc(what, argc > 3 ? argv[3] : NULL);
	tool = tool_find(what);
	if (!tool)
		return unknown_tool(what, argv[3]);
	return argc > 3 ? refuse(argv[3]) : run_tool(tool, 2, arguments);
}

static int run_named(const struct tool *tool, int argc, char **argv)
{
	__free char *name = base_printf("sonde %s", tool->name);

	report_set_name(name);
	return run_tool(tool, argc, argv);
}

/* Where one was closed, a file of ours would take its place, and results would be written into it. */
static void keep_standard_files(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

/* argv[0] is the tool. */
static bool asks_version(int argc, char **argv)
{
	return argc == 2 && (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V"));
}

/* Scripts ask a tool's peer for its version, to know what it can do. name: that of the link, or NULL. */
static int print_version(const struct tool *tool, const char *name)
{
	if (name && str_same(tool->peer, name))
		printf("%s %s (sonde %s)\n", tool->peer, tool->peer_version, SONDE_VERSION);
	else
		puts("sonde " SONDE_VERSION);
	return run_printed();
}

int main(int argc, char **argv)
{
	const char *slash = argv[0] ? strrchr(argv[0], '/') : NULL;
	const char *name = slash ? slash + 1 : argv[0];
	const struct tool *tool;

	signals_begin();
	keep_standard_files();
	report_set_name("sonde");
	/* The common case must not search directories for a script of that name. */
	tool = name && strcmp(name, "sonde") ? tool_find(name) : NULL;
	if (tool && asks_version(argc, argv))
		return print_version(tool, name);
	if (tool)
		return run_named(tool, argc, argv);
	if (argc < 2) {
		front_page(stdout);
		run_printed();
		return 2;
	}
	if (!strcmp(argv[1], "help") || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return help(argc, argv);
	if (!strcmp(argv[1], "version") || !strcmp(argv[1], "--version") || !strcmp(argv[1], "-V"))
		return argc > 2 ? refuse(argv[2]) : print_version(NULL, NULL);
	tool = tool_find(argv[1]);
	if (tool && asks_version(argc - 1, argv + 1))
		return print_version(tool, NULL);
	return tool ? run_named(tool, argc - 1, argv + 1) : unknown_tool(argv[1], argv[2]);
}
