/* SPDX-License-Identifier: BSD-2-Clause */
/* Within options only: an option as it is documented, which is as opt_parse() takes it. */
#ifndef SONDE_DOC_OPT_H
#define SONDE_DOC_OPT_H

#include "doc.h"

struct doc_opt {
	const struct opt *opt;
	char letter;	  /* 0 where there is none or an earlier option has it */
	const char *name; /* NULL likewise */
};

/* Option i of table t; false where earlier options leave nothing of it to be typed. */
bool doc_opt(const struct doc *doc, size_t t, size_t i, struct doc_opt *o);
/* Is there anything to say about table t? */
bool doc_table_shown(const struct doc *doc, size_t t);
bool doc_takes_argument(const struct opt *opt);
/* Appends what the help does not say: the choices. */
void doc_add_help(struct str *s, const struct opt *opt);

#endif
