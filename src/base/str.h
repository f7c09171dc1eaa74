/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A string that grows. data is NULL or ends with a NUL byte; len does not count that byte. Initialise with {};
 * free with str_release() or the attribute __str. Out of memory ends the process, as in base.h.
 */
#ifndef SONDE_BASE_STR_H
#define SONDE_BASE_STR_H

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
void str_add_u64(struct str *s, uint64_t value); /* decimal, without printf: fast enough for output rows */
void str_add_s64(struct str *s, int64_t value);
void str_add_fill(struct str *s, char c, size_t n);
void str_reset(struct str *s); /* length 0; the memory is kept */
void str_release(struct str *s);

/* True if both texts are equal or both are NULL. */
static inline bool str_same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* The plural's "s" for n things, "" for one: "%zu call%s". The text is constant. */
static inline const char *str_plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

static inline const char *str_or_empty(const char *text)
{
	return text ? text : "";
}

/*
 * All foreign bytes (of traced processes, files, users) become printable here and nowhere else: they cannot move
 * a cursor, break a line or end a JSON string. Each function appends n bytes of text:
 * - str_add_shown() is for terminals and tables. Control characters (C0, DEL, C1, the Unicode line separators and
 *   bidirectional controls) and invalid UTF-8 become \n \t \r \xHH. A backslash is not escaped; a reader that
 *   must tell it from an escape uses JSON.
 * - str_add_json() appends a JSON string with its quotes. The same characters become \uHHHH. Each byte of invalid
 *   UTF-8 becomes U+FFFD, since JSON (RFC 8259) cannot carry bytes.
 * - str_add_shell() appends a word that a shell reads back as these bytes: unchanged, in single quotes, or as
 *   $'...' (bash, ksh, zsh, POSIX 2024) if str_add_shown() would escape something.
 * - str_add_csv() appends a field of CSV (RFC 4180), in double quotes where it holds a comma, a quote, CR or LF, or is
 *   empty. CR, LF and tab stay; other control characters, and each byte of invalid UTF-8, become U+FFFD.
 * - str_add_plain() appends the bytes as UTF-8 without any syntax around them. CR, LF and tab stay; other control
 *   characters, and each byte of invalid UTF-8, become U+FFFD. A format with escapes of its own adds them afterwards.
 * - str_add_xml() appends text for an element or a quoted attribute of XML 1.0. What str_add_shown() escapes is escaped
 *   in the same way; so are the two code points that XML cannot carry, U+FFFE and U+FFFF.
 */
void str_add_shown(struct str *s, const char *text, size_t n);
void str_add_xml(struct str *s, const char *text, size_t n);
void str_add_shell(struct str *s, const char *text, size_t n);
void str_add_json(struct str *s, const char *text, size_t n);
void str_add_csv(struct str *s, const char *text, size_t n);
void str_add_plain(struct str *s, const char *text, size_t n);
/*
 * Returns the columns that a terminal needs for n bytes of UTF-8: one for each code point, two for a wide one,
 * none for a combining one. The ranges are a short extract of Unicode's East_Asian_Width and combining marks. An
 * invalid byte counts as one column.
 */
size_t str_columns(const char *text, size_t n);

#endif
