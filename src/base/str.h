/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A string that grows. data is NULL or NUL-terminated; len excludes the NUL.
 * Initialise with {}; release with str_release() or __str.
 */
#ifndef SONDE_STR_H
#define SONDE_STR_H

#include "base.h"

struct str {
	char *data;
	size_t len, cap;
};

#define __str __cleanup(str_release)

void str_add(struct str *s, const char *text);
void str_addn(struct str *s, const char *text, size_t n);
void str_addc(struct str *s, char c);
void str_addf(struct str *s, const char *fmt, ...) __printf(2, 3);
void str_addv(struct str *s, const char *fmt, va_list ap) __printf(2, 0);
void str_add_u64(struct str *s, uint64_t value); /* decimal, without printf: for rows */
void str_add_s64(struct str *s, int64_t value);
void str_add_fill(struct str *s, char c, size_t n);
void str_reset(struct str *s); /* length 0, memory kept */
void str_release(struct str *s);

/* Whether two texts are equal, or both NULL. */
static inline bool str_same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static inline const char *str_or_empty(const char *text)
{
	return text ? text : "";
}

/*
 * The one place where traced (foreign) bytes become printable. Appends text so
 * that it cannot move a cursor, break a line or end a JSON string.
 * str_add_shown(): for terminals and tables: control characters (C0, DEL, C1, the Unicode
 * line separators and bidirectional controls) and invalid UTF-8 as \n \t \r \xHH. A
 * backslash stays what it is: who must tell the two apart reads JSON.
 * str_add_json(): a JSON string with its quotes, the same characters as \uHHHH; invalid
 * UTF-8 bytes become U+FFFD each, as the JSON grammar (RFC 8259) has no bytes.
 * str_add_shell(): a word that a shell reads back as these bytes: as it is, in quotes, or, where str_add_shown()
 * would escape something, as $'...' (bash, ksh, zsh, POSIX 2024).
 */
void str_add_shown(struct str *s, const char *text, size_t n);
void str_add_shell(struct str *s, const char *text, size_t n);
void str_add_json(struct str *s, const char *text, size_t n);
/* Columns a terminal needs for n bytes of valid UTF-8: one per code point, two for wide ones,
 * none for combining ones. */
size_t str_columns(const char *text, size_t n);

#endif
