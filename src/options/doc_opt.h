/* SPDX-License-Identifier: BSD-2-Clause */
/* For files in options only: an option as the documentation shows it, which is as opt_parse() accepts it. */
#ifndef SONDE_OPTIONS_DOC_OPT_H
#define SONDE_OPTIONS_DOC_OPT_H

#include "doc.h"

struct doc_opt {
	const struct opt *opt;
	char letter;	  /* 0 if it has none or an earlier option uses it */
	const char *name; /* NULL in the same cases */
};

/*
 * Fills *o with option i of table t. Returns false if the option is refused here (opt_lacks()) or earlier options
 * use both its name and its letter.
 */
bool doc_opt(const struct doc *doc, size_t t, size_t i, struct doc_opt *o);
/* True if table t has at least one option to show. */
bool doc_table_shown(const struct doc *doc, size_t t);
/* True if an argument can follow, optional or not. */
bool doc_takes_argument(const struct opt *opt);
/* Appends the help text and, for an OPT_CHOICE, the list of choices. */
void doc_add_help(struct str *s, const struct opt *opt);

#endif
