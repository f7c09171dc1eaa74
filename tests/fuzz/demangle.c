// SPDX-License-Identifier: BSD-2-Clause
/*
 * Fuzzes demangling: results and time are bounded, and every telling run of a result may be held by the mangled
 * name.
 */
#include <ctype.h>

#include "fuzz.h"
#include "binary/demangle.h"

/* A jump out of libiberty leaks some KB, which demangle.c bounds. */
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
	return 1;
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static void check_runs(const char *name, const char *text)
{
	for (const char *end; *text; text = end) {
		for (end = text + 1; is_word(*text) && is_word(*end);)
			end++;
		if (is_word(*text) && demangle_is_telling(text, end - text)) {
			char *run __free = base_strndup(text, end - text);

			if (!demangle_may_hold(name, run))
				abort();
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *name __free = fuzz_text(data, size);
	__str struct str text = {};

	for (int form = 0; form < DEMANGLE_FORMS; form++) {
		if (!demangle(name, form, &text))
			continue;
		if (text.len > 2 * DEMANGLE_TEXT_MAX)
			abort();
		check_runs(name, text.data);
	}
	return 0;
}
