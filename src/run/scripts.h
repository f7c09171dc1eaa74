/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tools that are scripts: each NAME.bt of one directory is the tool NAME. The script's first comment has its texts:
 *
 *	NAME: what it does, in a line
 *
 *	A description, in paragraphs.
 *
 *	group: how often?			the question it answers (group_titles); others: none of them
 *	args: [INTERVAL=1 [COUNT=0]]		its arguments $1 and $2, with their defaults
 *	all tasks: packets belong to nobody	it has no filters by task (struct tool); the reason, for errors
 *	$ sonde NAME -d 10   # an example
 *
 * and its options are its calls of getopt() (lang/check/getopt.h).
 *
 * The directory is the first of these that exists: share/sonde beside the running binary, as in a build tree;
 * ../share/sonde from there, where make install puts it; /usr/local/share/sonde; /usr/share/sonde. A file or directory
 * that others can change is refused: it and each directory above it must belong to root, to us or to the owner of the
 * binary, and neither group nor others may write to it (binary/trusted.h).
 */
#ifndef SONDE_RUN_SCRIPTS_H
#define SONDE_RUN_SCRIPTS_H

#include "tool.h"

/* The tool; NULL with err: -ENOENT there is no such script, else why it cannot be used. Valid until the end. */
const struct tool *scripts_find(const char *name, struct err *err);
/* All that can be used, in no order. */
const struct tool *const *scripts_list(size_t *n);

#endif
