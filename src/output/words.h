/* SPDX-License-Identifier: BSD-2-Clause */
/* Values that have names: how a row shows them. */
#ifndef SONDE_WORDS_H
#define SONDE_WORDS_H

#include "output.h"

/* The name of the error that a call returned, "ENOENT" of -2; NULL where it returned none, or one without a name. */
const char *words_error_name(int64_t ret);

/*
 * The number of an error that a user has named: 2, ENOENT, enoent; also of those that only the kernel knows (ERESTARTSYS).
 * -EINVAL: no such.
 */
int words_find_error(const char *text, struct err *err);

/* The names that the two above and below find, those that a user meets. word is not looked at. */
void words_offer_errors(const char *word, void (*fn)(const char *name, void *ctx), void *ctx);
void words_offer_signals(const char *word, void (*fn)(const char *name, void *ctx), void *ctx);

/* A signal's name: in text KILL or RTMIN+1, "unknown" where it has none; JSON "SIGKILL", null where it has none. */
void words_add_signal(struct str *s, int signal, enum output_format format);
/* The number of a signal that a user has named: 9, KILL, sigkill, RTMIN+1; also 0, which only asks. -EINVAL: no such. */
int words_find_signal(const char *text, struct err *err);

#endif
