/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of errors and signals, for rows and for options. */
#ifndef SONDE_OUTPUT_WORDS_H
#define SONDE_OUTPUT_WORDS_H

#include "base/str.h"
#include "bpf/signal.h"

/*
 * Returns the name of the error that a call returned: "ENOENT" for -2. NULL if ret is no error or has no name. Do
 * not free it.
 */
const char *words_error_name(int64_t ret);

/*
 * Returns the number of an error that the user named: 2, ENOENT or enoent; also the errors that only the kernel
 * sees (ERESTARTSYS). -EINVAL with err if there is none.
 */
int words_find_error(const char *text, struct err *err);
/* The same for OPT_CALL, into an uint32_t. 0 or -EINVAL with err. */
int words_set_error(void *error, const char *text, struct err *err);

/*
 * Both offer the names above and below to fn, for completion; without second names and errors of the kernel
 * alone. word is ignored.
 */
void words_offer_errors(const char *word, void (*fn)(const char *name, void *ctx), void *ctx);
void words_offer_signals(const char *word, void (*fn)(const char *name, void *ctx), void *ctx);

/* Appends the name of a signal, KILL or RTMIN+1. False if it has none: nothing is appended then. */
bool words_add_signal(struct str *s, int signal);
/*
 * Returns the number of a signal that the user named: 9, KILL, sigkill or RTMIN+1; also 0, which only tests for a
 * process. -EINVAL with err if there is none.
 */
int words_find_signal(const char *text, struct err *err);
/* For OPT_CALL: a struct signal_set becomes the signals of "TERM,SIGKILL,0". 0 or -EINVAL with err. */
int words_set_signals(void *set, const char *text, struct err *err);

#endif
