/* SPDX-License-Identifier: BSD-2-Clause */
/* Within kernel/: what the kernel says about one symbol, and how it prints it. */
#ifndef SONDE_KERNEL_KSYM_H
#define SONDE_KERNEL_KSYM_H

#include "kernel.h"

/* type: as nm(1) names it. */
static inline bool ksym_is_function(char type)
{
	return (type | 0x20) == 't' || (type | 0x20) == 'w';
}

/* The linker's names for the ends of code. They look like functions, but nothing runs there. */
static inline bool ksym_is_end_of_text(const char *name)
{
	return name[0] == '_' && name[1] == 'e' && (!strcmp(name, "_etext") || !strcmp(name, "_einittext"));
}

/*
 * Hexadecimal digits in lower case; *end: the first character after them. There are up to 200,000 lines, and strtoull()
 * takes 450 instructions.
 */
static inline uint64_t ksym_parse_address(char *text, char **end)
{
	uint64_t value = 0;

	for (;; text++) {
		unsigned int c = (unsigned char)*text;

		if (c - '0' < 10)
			value = value << 4 | (c - '0');
		else if (c - 'a' < 6)
			value = value << 4 | (c - 'a' + 10);
		else
			break;
	}
	*end = text;
	return value;
}

/*
 * Cuts "NAME\t[MODULE]", "NAME [MODULE]" or "NAME" in place; sets sym->name and sym->module, which point into text.
 * strpbrk() takes longer to begin than most names are.
 */
static inline void ksym_parse_name(char *text, struct ksym *sym)
{
	char *bracket = text;

	sym->name = text;
	sym->module = NULL;
	while ((unsigned char)*bracket > ' ')
		bracket++;
	if (!*bracket)
		return;
	*bracket++ = 0;
	while (*bracket && *bracket != '[')
		bracket++;
	if (*bracket++ != '[')
		return;
	sym->module = bracket;
	bracket[strcspn(bracket, "]")] = 0;
}

#endif
