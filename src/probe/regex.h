/* SPDX-License-Identifier: BSD-2-Clause */
/* Compiles POSIX extended regular expressions with regcomp(3), safely for any input. */
#ifndef SONDE_PROBE_REGEX_H
#define SONDE_PROBE_REGEX_H

#include <regex.h>

#include "base/base.h"

/*
 * Compiles pattern for regexec() without positions (REG_NOSUB); the caller frees it with regfree(). -EINVAL: the
 * pattern is invalid, and err->at is the offset of the fault; or compiling takes more than 128 MB or a second,
 * which a child process tries first. -errno: no child can be started.
 */
int regex_compile(regex_t *regex, const char *pattern, struct err *err);

/* A regular expression that an option gives, or does not. */
struct regex_option {
	regex_t regex;
	bool given;
};

/* For OPT_CALL: compiles the pattern into a struct regex_option; of several the last one counts. Errors as above. */
int regex_set(void *option, const char *pattern, struct err *err);
/* As opt.release, of such an option. */
void regex_release(void *option);
/* Whether text matches. If the option was not given, every text does. */
bool regex_matches(const struct regex_option *option, const char *text);

#endif
