/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of system calls, as options take them and as a list shows them. */
#ifndef SONDE_ENGINES_SYSCALL_NAMES_H
#define SONDE_ENGINES_SYSCALL_NAMES_H

#include "base/base.h"

struct output;

/* For OPT_CALL: the number of the call of this name, into an int. -EINVAL with the nearest name if there is none. */
int syscall_names_set(void *number, const char *name, struct err *err);
/* For .offers: all of them. */
void syscall_names_offer(const char *word, void (*fn)(const char *name, void *ctx), void *ctx);
/* Prints all of them in columns; rows of name and number where the output is not text. */
void syscall_names_list(struct output *out);

#endif
