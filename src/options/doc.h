/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes the documentation from the option tables: --help, man pages (in man(7) macros that pass `man --warnings`
 * and `mandoc -Tlint`) and bash completion. Knows a tool only as a struct doc. If an earlier table already uses
 * an option's name or letter, only the part that is left is shown, just as opt_parse() accepts it.
 */
#ifndef SONDE_OPTIONS_DOC_H
#define SONDE_OPTIONS_DOC_H

#include "opt.h"

struct doc_example {
	const char *command; /* "sonde funccount 'vfs_*'" */
	const char *does;    /* "count kernel functions by glob" */
};

/* The question that a tool answers. Lists of tools have a part for each, in this order. */
enum group {
	GROUP_SLOW = 1,
	GROUP_WHO,
	GROUP_LONG,
	GROUP_OFTEN,
	GROUP_HAPPENED,
	GROUP_ALWAYS,
	GROUP_CRASH,
	GROUP_OTHERS, /* only for scripts that name none */
	GROUPS,
};
/* "what is slow?" */
extern const char *const group_titles[GROUPS];

struct doc {
	const char *name;  /* "funccount" */
	const char *also;  /* a second name on sonde's command line, or NULL */
	const char *brief; /* "count function calls, tracepoints and user marks" */
	enum group group;
	const char *args;		    /* "SPEC..." */
	bool offers_args;		    /* the shell asks `sonde help --complete NAME WORD` about args */
	bool unlinked;			    /* make install puts no link of this name into PATH */
	const char *description;	    /* plain text; an empty line separates paragraphs */
	const struct doc_example *examples; /* n_examples of them */
	size_t n_examples;
	const struct opt_table *tables;
	size_t n_tables;
};

/*
 * Writes --help within 80 columns: usage, brief, options grouped by table title, examples. Errors of `out` are
 * for the caller to check (ferror()), here and below.
 */
void doc_help(FILE *out, const struct doc *doc);
/* Writes the man page sonde-NAME(8). The caller gives version and date (ISO), so that builds are reproducible. */
void doc_man(FILE *out, const struct doc *doc, const char *version, const char *date);
/* Writes the man page sonde(8), which lists the n tools in docs by their groups. */
void doc_man_main(FILE *out, const struct doc *docs, size_t n, const char *version,
		  const char *date);
/*
 * Writes one bash completion script for sonde and all its links. It completes options, choices and arguments.
 * What an argument can be follows from its name in the help: files for FILE, PATH, BIN and CGROUP, directories
 * for DIR, commands for CMD and COMMAND, users for USER, nothing for any other. For options and arguments with an
 * .offers function the script asks sonde: `sonde help --complete TOOL [OPTION] WORD`.
 */
void doc_completion(FILE *out, const struct doc *docs, size_t n);

#endif
