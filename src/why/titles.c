// SPDX-License-Identifier: BSD-2-Clause
#include <ctype.h>

#include "engine/filter.h"
#include "titles.h"

#define BYTES 256
/* Of a title, columns. */
#define TITLE 48

/* Returns how many bytes there are, without the NULs at the end. */
static size_t read_arguments(uint32_t pid, char text[BYTES])
{
	__free char *path = base_printf("/proc/%u/cmdline", pid);
	__fclose FILE *f = fopen(path, "re");
	size_t n = f ? fread(text, 1, BYTES - 1, f) : 0;

	while (n && !text[n - 1])
		n--;
	text[n] = 0;
	return n;
}

char *titles_command(uint32_t pid)
{
	char text[BYTES];
	size_t n = read_arguments(pid, text);

	for (size_t i = 0; i < n; i++)
		if (!text[i])
			text[i] = ' ';
	return n ? base_strndup(text, n) : NULL;
}

void titles_add(struct str *s, uint32_t pid)
{
	char text[BYTES];
	size_t n = pid && !filter_pidns() ? read_arguments(pid, text) : 0;
	const char *title = text, *colon;

	/* several arguments, or one without a blank, are a command */
	if (!n || strlen(text) < n || !strchr(text, ' '))
		return;
	colon = strstr(text, ": ");
	if (colon && !memchr(text, ' ', colon - text))
		title = colon + 2;
	str_add(s, " (");
	for (size_t i = 0; title[i] && i < TITLE; i++)
		str_addc(s, isprint((unsigned char)title[i]) ? title[i] : '?');
	str_add(s, strlen(title) > TITLE ? "...)" : ")");
}
