/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a script says of itself, for a help text: its first comment and its calls of getopt(). The script is parsed, not
 * checked, so this needs neither a kernel nor rights.
 */
#ifndef SONDE_LANG_CHECK_GETOPT_H
#define SONDE_LANG_CHECK_GETOPT_H

#include "base/pool.h"

enum lang_getopt_kind {
	GETOPT_FLAG, /* false unless it is given */
	GETOPT_BOOL, /* true unless it is given as false */
	GETOPT_NUMBER,
	GETOPT_TEXT,
	GETOPT_NUMBERS, /* the second argument of listed(): numbers with commas between them */
};

/* getopt("threads", false, "-t show threads"), getopt("disk", "", "-d DISK: only this disk"). */
struct lang_getopt {
	const char *name;
	enum lang_getopt_kind kind;
	char letter;	      /* of a description that begins with "-X "; 0: none */
	const char *argument; /* of a description that goes on with "WORD: ", in capital letters; else by the kind */
	const char *help;     /* the rest, with the default; "" if there is none */
};

/* Initialise with {}. The pool owns the texts. */
struct lang_about {
	const char *comment; /* the first comment without its marks, "" if there is none; not a line of SPDX */
	struct lang_getopt *v;
	size_t n, cap;
	struct pool pool;
};

/* Returns 0; or -EINVAL if the text does not parse, and err is the first line of what the parser says. */
int lang_about_read(struct lang_about *about, const char *name, const char *text, size_t len, struct err *err);
void lang_about_release(struct lang_about *about);

#endif
