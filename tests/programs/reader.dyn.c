// SPDX-License-Identifier: BSD-2-Clause
/* Reads lines with readline() of a shared library, as a shell does, until the input ends. PS1 is the prompt. */
#include <stdlib.h>

char *readline(const char *prompt);

int main(void)
{
	const char *prompt = getenv("PS1");
	char *line;

	while ((line = readline(prompt ? prompt : "$ ")))
		free(line);
	return 0;
}
