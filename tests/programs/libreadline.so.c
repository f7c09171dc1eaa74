// SPDX-License-Identifier: BSD-2-Clause
/* A stand-in for the real library: the function by its name, and nothing else of it. Whom it is for: reader.dyn.c. */
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
