/* SPDX-License-Identifier: BSD-2-Clause */
/* Values that have names: how a row shows them. */
#ifndef SONDE_WORDS_H
#define SONDE_WORDS_H

#include "output.h"

/* What a call returned: a number; in text an error as its name, "-ENOENT". */
void words_add_result(struct str *s, int64_t ret, enum output_format format);
/* JSON: the name of the error that a call returned, null where it returned none. */
void words_add_error(struct str *s, int64_t ret);

/*
 * The number of an error that a user has named: 2, ENOENT, enoent; also of those that only the kernel knows (ERESTARTSYS).
 * -EINVAL: no such.
 */
int words_find_error(const char *text, struct err *err);

/* A signal's name: in text KILL or RTMIN+1, "unknown" where it has none; JSON "SIGKILL", null where it has none. */
void words_add_signal(struct str *s, int signal, enum output_format format);
/* The number of a signal that a user has named: 9, KILL, sigkill, RTMIN+1; also 0, which only asks. -EINVAL: no such. */
int words_find_signal(const char *text, struct err *err);

#endif
