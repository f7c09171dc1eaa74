// SPDX-License-Identifier: BSD-2-Clause
/* Shared by the resolvers of all kinds of targets. */
#include "resolve.h"

int resolve_no_match(struct err *err, const char *what, const struct spec *spec, const char *near)
{
	/* "*" says nothing of what was asked for */
	bool is_clear = spec->name && strcmp(spec->name, "*") && !(near && strchr(near, ':'));
	const char *name = is_clear ? spec->name : spec->text;

	if (near)
		return err_set(err, -ENOENT, "no %s matches '%s' (did you mean %s?)", what, name, near);
	return err_set(err, -ENOENT, "no %s matches '%s'", what, name);
}
