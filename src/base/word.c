// SPDX-License-Identifier: BSD-2-Clause
/* Looks words up in short lists: it reads the whole list. */
#include <string.h>

#include "word.h"

bool word_is_in(const char *word, const char *list)
{
	size_t len = strlen(word);

	for (const char *at = list; *at; at += strspn(at, " ")) {
		size_t n = strcspn(at, " ");

		if (n == len && !memcmp(at, word, n))
			return true;
		at += n;
	}
	return false;
}
