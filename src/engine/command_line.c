// SPDX-License-Identifier: BSD-2-Clause
/* Arguments, and which of them somebody typed. */
#include "command_line.h"

/* Interpreters that are scripts themselves: the kernel follows five (fs/exec.c), each with an option. */
#define UNTYPED_MAX (5 * 2)

const char *command_line_next(const char *arg, const char *end)
{
	if (arg >= end)
		return end;
	arg += strnlen(arg, end - arg) + 1;
	return arg < end ? arg : end;
}

const char *command_line_typed(const char *first, const char *end, const char *path)
{
	const char *arg = first;

	if (first >= end || first[0] != '/' || !strcmp(first, path))
		return command_line_next(first, end);
	for (int i = 0; i < UNTYPED_MAX; i++) {
		arg = command_line_next(arg, end);
		if (arg >= end)
			break;
		if (!strcmp(arg, path))
			return command_line_next(arg, end);
	}
	return command_line_next(first, end);
}
