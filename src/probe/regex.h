/* SPDX-License-Identifier: BSD-2-Clause */
/* Compiles POSIX extended regular expressions with regcomp(3), safely for any input. */
#ifndef SONDE_REGEX_H
#define SONDE_REGEX_H

#include <regex.h>

#include "base/base.h"

/*
 * Compiles pattern for regexec() without positions (REG_NOSUB); the caller frees it with regfree(). -EINVAL: the
 * pattern is invalid, and err->at is the offset of the fault; or compiling takes more than 128 MB or a second,
 * which a child process tries first. -errno: no child can be started.
 */
int regex_compile(regex_t *regex, const char *pattern, struct err *err);

#endif
