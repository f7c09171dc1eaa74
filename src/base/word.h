/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of words as one text: "int long short", a blank between two. */
#ifndef SONDE_BASE_WORD_H
#define SONDE_BASE_WORD_H

#include <stdbool.h>

bool word_is_in(const char *word, const char *list);

#endif
