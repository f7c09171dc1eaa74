/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The configuration of an export: lines, each of which is a tool as one types it in a shell, and clauses at its end.
 *
 *	# a comment
 *	funccount vfs_read 't:sched:sched_process_exec'   as kernel_calls
 *	runqlat                                           max 64  buckets 10us..1s/2
 *
 * Words are quoted as in a shell, by ' " and \. There are no variables, globs and pipes. A line that ends with \ goes
 * on in the next one. Knows no tool.
 */
#ifndef SONDE_EXPORT_CONFIG_H
#define SONDE_EXPORT_CONFIG_H

#include "base/base.h"

#define CONFIG_MAX_DEFAULT 128
#define CONFIG_MAX_MOST	   10000

/* Which bounds of a histogram the text formats show, in its base unit: seconds, bytes, or plain numbers. */
struct config_buckets {
	double low, high;  /* the least and the greatest bound; high 0: all are shown */
	unsigned int step; /* every step-th of them, 1: each */
};

struct config_line {
	char *file;	     /* as the user named it; NULL: an argument */
	unsigned int number; /* of the line in its file, of the argument; from 1 */
	char *text;	     /* as written, without blanks at both ends and without a comment */
	char **words;	     /* of the tool, without the clauses; NULL-terminated */
	size_t n_words;	     /* at least 1 */
	char *name;	     /* of `as`; NULL: none */
	uint32_t max;	     /* the most rows by key */
	struct config_buckets buckets;
	uint64_t hash; /* of the words and clauses: lines with the same hash mean the same */
};

/* Initialise with {}. */
struct config {
	vec(struct config_line);
};

/*
 * Adds the lines of a file; "-" is stdin. Returns 0, or -errno with an err that begins with "FILE:LINE: " if it is a
 * line's; -EINVAL: the text is wrong. waits: for whoever writes into a pipe or a terminal; otherwise -EAGAIN, if nobody
 * has.
 */
int config_add_file(struct config *config, const char *path, bool waits, struct err *err);
/* Adds one line, the argument with this number. */
int config_add_argument(struct config *config, const char *text, unsigned int number, struct err *err);
/* Adds the lines of a text of n bytes; file: for messages. Reads nothing but the text. */
int config_add_text(struct config *config, const char *file, const char *text, size_t n, struct err *err);
/* Returns "FILE:LINE", or "argument N"; the caller frees. */
char *config_place(const struct config_line *line);
/* True if both mean the same. */
bool config_line_same(const struct config_line *a, const struct config_line *b);
/* Puts the place of the line in front of the text of err. Returns its code. */
int config_blame(const struct config_line *line, struct err *err);
void config_line_release(struct config_line *line);
void config_release(struct config *config);

#endif
