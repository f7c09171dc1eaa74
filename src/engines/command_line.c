// SPDX-License-Identifier: BSD-2-Clause
/* Arguments, and which of them somebody typed. */
#include "command_line.h"

/* Interpreters that are scripts themselves: the kernel follows five (fs/exec.c), each with an option. */
#define UNTYPED_MAX (5 * 2)

/* The argument behind arg, never beyond end: that is where there is none. */
static const char *command_line_next(const char *arg, const char *end)
{
	if (arg >= end)
		return end;
	arg += strnlen(arg, end - arg) + 1;
	return arg < end ? arg : end;
}

/*
 * The arguments behind the first, of `first` to `end`, that were typed. For a script the kernel puts its interpreter's
 * name and option in front; what was typed is the script, path, and what comes after it.
 */
static const char *command_line_typed(const char *first, const char *end, const char *path)
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

void command_line_get(struct value *to, const struct args_record *args, const char *data, bool failed,
		      uint32_t max_words)
{
	static char more[64];
	const char *arg = data + args->at, *end = arg + args->size;
	uint32_t n = 1;

	arg = failed ? command_line_next(arg, end) : command_line_typed(arg, end, data);
	str_addn(to->room, data, strlen(data) + 1);
	for (; arg < end && (!max_words || n < max_words); arg = command_line_next(arg, end), n++) {
		str_addn(to->room, arg, strnlen(arg, end - arg));
		str_addc(to->room, 0);
	}
	value_set_words(to, to->room->data, to->room->len);
	if (arg < end || (failed && args->size < args->total)) {
		to->more = " ...";
	} else if (args->size < args->total) {
		snprintf(more, sizeof(more), " ... (%u bytes cut)", args->total - args->size);
		to->more = more;
	}
}
