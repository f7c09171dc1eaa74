/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is written from the option tables: --help, man pages (man macros; they pass
 * `man --warnings` and `mandoc -Tlint`) and bash completion. Knows a tool only as a struct
 * doc. An option of which an earlier table has taken the name or the letter is shown with what
 * is left, as opt_parse() takes it.
 */
#ifndef SONDE_DOC_H
#define SONDE_DOC_H

#include "opt.h"

struct doc_example {
	const char *command; /* "sonde funccount 'vfs_*'" */
	const char *does;    /* "count kernel functions by glob" */
};

struct doc {
	const char *name;		    /* "funccount" */
	const char *also;		    /* a second name on sonde's command line, or NULL */
	const char *brief;		    /* "count function calls, tracepoints and user marks" */
	const char *args;		    /* "SPEC..." */
	bool offers_args;		    /* what args may be is asked with `sonde help --complete NAME WORD` */
	bool unlinked;			    /* no program of that name is ours */
	const char *description;	    /* paragraphs separated by an empty line, plain text */
	const struct doc_example *examples; /* n_examples of them */
	size_t n_examples;
	const struct opt_table *tables;
	size_t n_tables;
};

/* --help within 80 columns: usage, brief, options grouped by table title, examples. */
void doc_help(FILE *out, const struct doc *doc);
/* man page of section 8: sonde-NAME(8); version and date are given, not asked from the clock. */
void doc_man(FILE *out, const struct doc *doc, const char *version, const char *date);
/* the page of sonde itself: lists the tools (docs) */
void doc_man_main(FILE *out, const struct doc *docs, size_t n, const char *version,
		  const char *date);
/*
 * One bash completion script for sonde and all links: options, choices, and what the argument's
 * name tells, or sonde when it is asked (.offers, `sonde help --complete TOOL [OPTION] WORD`): files after FILE, PATH, BIN and CGROUP, directories after DIR, commands after
 * CMD and COMMAND, users after USER, nothing after another.
 */
void doc_completion(FILE *out, const struct doc *docs, size_t n);

#endif
