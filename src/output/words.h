/* SPDX-License-Identifier: BSD-2-Clause */
/* Values that have names: how a row shows them. */
#ifndef SONDE_WORDS_H
#define SONDE_WORDS_H

#include "output.h"

/* What a call returned: a number; in text an error as its name, "-ENOENT". */
void words_add_result(struct str *s, int64_t ret, enum output_format format);
/* JSON: the name of the error that a call returned, null where it returned none. */
void words_add_error(struct str *s, int64_t ret);

#endif
