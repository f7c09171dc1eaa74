// SPDX-License-Identifier: BSD-2-Clause
/*
 * A set of names. It is searched for each of the kernel's 20,000 types, few of which are in it: hence lists by
 * first character.
 */
#include "core_names.h"

/* The length without the flavor: up to the last "___" that has other characters on both sides. */
static size_t essential_len(const char *text)
{
	size_t n = strlen(text);

	for (size_t i = n < 5 ? 0 : n - 4; i--;)
		if (text[i] != '_' && !memcmp(text + i + 1, "___", 3) && text[i + 4] != '_')
			return i + 1;
	return n;
}

bool core_names_have(const struct core_names *names, const char *text)
{
	const struct core_name *name;

	for (size_t i = names->first[(unsigned char)*text]; i; i = name->next) {
		name = &names->v[i - 1];
		if (!strncmp(name->text, text, name->len) &&
		    (!text[name->len] || essential_len(text) == name->len))
			return true;
	}
	return false;
}

void core_names_add(struct core_names *names, const char *text)
{
	size_t *first = &names->first[(unsigned char)*text];
	struct core_name *name;

	if (!*text || core_names_have(names, text))
		return;
	name = vec_push(names);
	name->text = text;
	name->len = essential_len(text);
	name->next = *first;
	*first = names->n;
}

void core_names_release(struct core_names *names)
{
	free(names->v);
}
