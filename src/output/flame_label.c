// SPDX-License-Identifier: BSD-2-Clause
/* Shortens names. Knows how demangled names of C++ and Rust are written. */
#include "flame_label.h"

#define DOTS "\xe2\x80\xa6" /* one column */

void flame_label_cut(struct str *s, const char *text, size_t columns)
{
	__str struct str shown = {};
	size_t n = 0, used = 0, len;

	str_add_shown(&shown, text, strlen(text));
	if (str_columns(str_or_empty(shown.data), shown.len) <= columns) {
		str_add_xml(s, str_or_empty(shown.data), shown.len);
		return;
	}
	for (; n < shown.len; n += len) {
		for (len = 1; (shown.data[n + len] & 0xc0) == 0x80;)
			len++;
		used += str_columns(shown.data + n, len);
		if (used > columns - 1)
			break;
	}
	str_add_xml(s, shown.data, n);
	str_add(s, DOTS);
}

/* Appends what is in no brackets. False: brackets do not match. */
static bool add_outside(struct str *s, const char *name)
{
	int depth = 0;

	for (; *name && depth >= 0; name++) {
		depth += *name == '<' || *name == '(';
		if (!depth)
			str_addc(s, *name);
		depth -= *name == '>' || *name == ')';
	}
	return !depth;
}

/* "void shop::sort<int>(int) const" -> "shop::sort". Returns NULL if the name is not of that form. */
static const char *strip(struct str *room, const char *name)
{
	char *end, *space;

	/* operators have brackets in their names; Rust puts a whole type into one in front */
	if (!strstr(name, "::") || strstr(name, "operator") || *name == '<' || !add_outside(room, name) || !room->len)
		return NULL;
	for (end = strstr(room->data, " ["); end; end = NULL)
		*end = 0;
	end = room->data + strlen(room->data);
	while (end - room->data > 6 && !strcmp(end - 6, " const"))
		*(end -= 6) = 0;
	space = strrchr(room->data, ' ');
	name = space ? space + 1 : room->data;
	name += !strncmp(name, "::", 2) ? 2 : 0;
	end = room->data + strlen(room->data);
	/* nothing is left of a part: Rust's "a::<impl b>::c" */
	return !*name || strstr(name, "::::") || (end - name > 1 && end[-1] == ':') ? NULL : name;
}

void flame_label_add(struct str *s, const char *name, size_t columns)
{
	__str struct str room = {};
	const char *shorter = NULL, *part;

	if (str_columns(name, strlen(name)) > columns)
		shorter = strip(&room, name);
	if (shorter && str_columns(shorter, strlen(shorter)) > columns) {
		while (str_columns(shorter, strlen(shorter)) + 1 > columns && (part = strstr(shorter, "::")))
			shorter = part + 2;
		/* of a last part that is cut as well, the beginning says more than a mark in front of it */
		if (str_columns(shorter, strlen(shorter)) < columns) {
			str_add(s, DOTS);
			columns--;
		}
	}
	flame_label_cut(s, shorter ? shorter : name, columns);
}
