/* SPDX-License-Identifier: BSD-2-Clause */
/* POSIX extended regular expressions by regcomp(3), whatever somebody writes as one. */
#ifndef SONDE_REGEX_H
#define SONDE_REGEX_H

#include <regex.h>

#include "base/base.h"

/*
 * Compiles pattern, for regexec() without positions; regfree() it. -EINVAL: it is none, err->at is where; or it would take
 * more than 128 MB or a second, which is tried first in a process of its own.
 */
int regex_compile(regex_t *regex, const char *pattern, struct err *err);

#endif
