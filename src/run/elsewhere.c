// SPDX-License-Identifier: BSD-2-Clause
/* Searches the table that scripts/coming-from writes. Knows no tool: their names are data. */
#include "base/base.h"
#include "elsewhere.h"

/* For each row four texts: "|NAME|NAME|", and what struct elsewhere has. */
static const char rows[] = ""
#include "coming_from.inc"
	;

static bool has_name(const char *names, const char *name)
{
	size_t len = strlen(name);

	for (const char *at = names; len && (at = strstr(at, name)); at++)
		if (at > names && at[-1] == '|' && at[len] == '|')
			return !strchr(name, '|');
	return false;
}

static const char *next(const char *text)
{
	return text + strlen(text) + 1;
}

bool elsewhere_find(const char *name, struct elsewhere *found)
{
	for (const char *names = rows; names < rows + sizeof(rows) - 1; names = next(found->note)) {
		found->of = next(names);
		found->here = next(found->of);
		found->note = next(found->here);
		if (has_name(names, name))
			return true;
	}
	return false;
}
