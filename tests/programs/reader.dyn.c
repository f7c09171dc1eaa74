// SPDX-License-Identifier: BSD-2-Clause
/* Reads lines with the readline() of a shared library, as a shell does: prompts with what PS1 says, until the input ends. */
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
