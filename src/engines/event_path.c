// SPDX-License-Identifier: BSD-2-Clause
/* Paths from the names of directories. */
#include "event_path.h"

/* Appends the directory that the path begins in, and a '/'. */
static void add_dirs(struct str *s, const struct path_record *path)
{
	const char *dirs = path->text + path->dirs_at, *end = dirs + path->dirs_size;

	if (path->dirs_cut)
		str_add(s, "...");
	while (end > dirs) {
		const char *name = end - 1;

		while (name > dirs && name[-1])
			name--;
		str_addc(s, '/');
		str_addn(s, name, end - 1 - name);
		end = name;
	}
	str_addc(s, '/');
}

void event_path_get(struct value *to, const void *data, const void *ctx)
{
	const struct path_record *path = data;

	if (!path->unread)
		value_set_text(to, path->text);
}

void event_path_get_full(struct value *to, const void *data, const void *ctx)
{
	const struct path_record *path = data;

	if (path->unread || (!path->dirs_at && path->text[0] != '/'))
		return;
	if (!path->dirs_at) {
		value_set_text(to, path->text);
		return;
	}
	add_dirs(to->room, path);
	str_add(to->room, path->text);
	value_set_made(to);
}

void event_path_get_shown(struct value *to, const void *data, const void *ctx)
{
	if (((const struct path_record *)data)->dirs_at)
		event_path_get_full(to, data, ctx);
	else
		event_path_get(to, data, ctx);
}
