// SPDX-License-Identifier: BSD-2-Clause
/* Paths from the names of directories. */
#include "event_path.h"

void event_path_add(struct str *s, const char *dirs, size_t size, bool cut)
{
	const char *end = dirs + size;

	if (cut)
		str_add(s, "...");
	while (end > dirs) {
		const char *name = end - 1;

		while (name > dirs && name[-1])
			name--;
		str_addc(s, '/');
		str_add(s, name);
		end = name;
	}
	str_addc(s, '/');
}
