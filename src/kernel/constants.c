// SPDX-License-Identifier: BSD-2-Clause
/*
 * The table of constants: src/kernel/constants.txt without the values of other architectures, compressed. It is
 * unpacked when the first name is asked for. Its lines are "HEADER", or "NAME VALUE" of the header before; a
 * u follows values above INT64_MAX.
 */
#include "constants.h"

#include "base/unpack.h"
#include "gen/constants.inc"

/* The table with a newline before it and a 0 behind it. */
static const char *constants_text(void)
{
	static char text[CONSTANTS_SIZE + 2];

	if (!text[0]) {
		char *unpacked __free = unpack(packed, sizeof(packed), CONSTANTS_SIZE);

		text[0] = '\n';
		if (unpacked)
			memcpy(text + 1, unpacked, CONSTANTS_SIZE);
	}
	return text;
}

/* The line that begins with this word and `end`; NULL: there is none. */
static const char *constants_line(const char *word, char end)
{
	char line[80];
	int n = snprintf(line, sizeof(line), "\n%s%c", word, end);
	const char *found = n < (int)sizeof(line) ? strstr(constants_text(), line) : NULL;

	return found ? found + 1 : NULL;
}

/* Copies the header that the line at `at` is of. */
static void constants_copy_header(const char *at, char *header, size_t size)
{
	const char *end;

	/* A line of a header is the only one without a blank. */
	do {
		end = --at;
		while (at[-1] != '\n')
			at--;
	} while (memchr(at, ' ', end - at));
	snprintf(header, size, "%.*s", (int)(end - at), at);
}

bool constant_find(const char *name, struct constant *constant)
{
	const char *line = constants_line(name, ' ');

	if (!line)
		return false;
	constants_copy_header(line, constant->header, sizeof(constant->header));
	line += strlen(name) + 1;
	constant->value = strtoull(line, NULL, 10); /* of a number with a minus it is the two's complement */
	constant->is_unsigned = line[strcspn(line, "u\n")] == 'u';
	return true;
}

bool constant_has_header(const char *header)
{
	return strchr(header, '/') && constants_line(header, '\n');
}
