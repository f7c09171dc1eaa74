/* SPDX-License-Identifier: BSD-2-Clause */
/* What processes say of themselves: their arguments, and titles that they write in place of these. */
#ifndef SONDE_WHY_TITLES_H
#define SONDE_WHY_TITLES_H

#include "base/str.h"

/* The arguments of a process, up to 255 bytes, as long as it lives. The caller frees it; NULL: there are none. */
char *titles_command(uint32_t pid);

/*
 * Appends " (TITLE)" if the process has written a title over its arguments, as PostgreSQL and nginx do: one argument with
 * blanks. The begin up to a colon, which repeats the program's name, is left out: " (worker process)". pid: on the host;
 * nothing is appended if sonde is in a pid namespace, where /proc has other ids. The text is the process's own: what is
 * not printable is a question mark.
 */
void titles_add(struct str *s, uint32_t pid);

#endif
