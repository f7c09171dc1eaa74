// SPDX-License-Identifier: BSD-2-Clause
/* What the resolvers of all kinds share. */
#include "resolve.h"

int resolve_no_match(struct err *err, const char *what, const struct spec *spec, const char *near)
{
	const char *name = spec->name ? spec->name : spec->text;

	/* the very name, but of another module, system or provider */
	if (near && !strcmp(near, name))
		return err_set(err, -ENOENT, "no %s matches '%s', though there is a '%s' elsewhere", what,
			       spec->text, near);
	if (near)
		return err_set(err, -ENOENT, "no %s matches '%s' (did you mean %s?)", what, name, near);
	return err_set(err, -ENOENT, "no %s matches '%s'", what, name);
}
