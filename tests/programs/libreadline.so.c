// SPDX-License-Identifier: BSD-2-Clause
/* Replaces the real library for reader.dyn.c: has a function readline() and nothing else. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *readline(const char *prompt)
{
	char *line = NULL;
	size_t room = 0;

	fputs(prompt, stdout);
	fflush(stdout);
	if (getline(&line, &room, stdin) <= 0) {
		free(line);
		return NULL;
	}
	line[strcspn(line, "\n")] = 0;
	return line;
}
