// SPDX-License-Identifier: BSD-2-Clause
/*
 * The growing string, and how foreign bytes become printable. Knows UTF-8 and the code points that control a
 * terminal. Uses no locale: a static binary finds no locale data that it could trust.
 */
#include <ctype.h>

#include "str.h"

static void str_reserve(struct str *s, size_t more)
{
	size_t need = s->len + more + 1;

	if (need <= s->cap)
		return;
	s->cap = s->cap * 2 > need ? s->cap * 2 : need;
	if (s->cap < 64)
		s->cap = 64;
	s->data = base_realloc(s->data, s->cap, 1);
	s->data[s->len] = '\0';
}

void str_addn(struct str *s, const char *text, size_t n)
{
	str_reserve(s, n);
	if (n)
		memcpy(s->data + s->len, text, n);
	s->len += n;
	s->data[s->len] = '\0';
}

void str_add(struct str *s, const char *text)
{
	str_addn(s, text, strlen(text));
}

void str_addc(struct str *s, char c)
{
	if (s->len + 2 > s->cap)
		str_reserve(s, 1);
	s->data[s->len++] = c;
	s->data[s->len] = '\0';
}

void str_add_fill(struct str *s, char c, size_t n)
{
	str_reserve(s, n);
	memset(s->data + s->len, c, n);
	s->len += n;
	s->data[s->len] = '\0';
}

void str_addf(struct str *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	str_addv(s, fmt, ap);
	va_end(ap);
}

void str_addv(struct str *s, const char *fmt, va_list ap)
{
	va_list again;
	int n;

	/* Most texts fit into the memory that is there. Only the others are formatted twice. */
	va_copy(again, ap);
	str_reserve(s, 63);
	n = vsnprintf(s->data + s->len, s->cap - s->len, fmt, ap);
	if (n > 0 && (size_t)n >= s->cap - s->len) {
		str_reserve(s, n);
		n = vsnprintf(s->data + s->len, s->cap - s->len, fmt, again);
	}
	va_end(again);
	if (n > 0)
		s->len += n;
	s->data[s->len] = '\0';
}

void str_add_u64(struct str *s, uint64_t value)
{
	char digits[20], *p = digits + sizeof(digits);

	do {
		*--p = '0' + value % 10;
		value /= 10;
	} while (value);
	str_addn(s, p, digits + sizeof(digits) - p);
}

void str_add_s64(struct str *s, int64_t value)
{
	if (value < 0)
		str_addc(s, '-');
	/* negated as unsigned: INT64_MIN has no positive counterpart */
	str_add_u64(s, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

void str_reset(struct str *s)
{
	s->len = 0;
	if (s->data)
		s->data[0] = '\0';
}

void str_release(struct str *s)
{
	free(s->data);
	*s = (struct str){};
}

struct range {
	uint32_t first, last;
};

static bool in_ranges(uint32_t c, const struct range *ranges, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (c >= ranges[i].first && c <= ranges[i].last)
			return true;
	return false;
}

/*
 * Decodes one code point. Returns its length in bytes, or 0 if the bytes are not UTF-8 (RFC 3629: no overlong
 * forms, no surrogates, nothing above U+10FFFF).
 */
static size_t utf8_decode(const unsigned char *p, size_t n, uint32_t *cp)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t len;

	if (p[0] < 0x80) {
		*cp = p[0];
		return 1;
	}
	len = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3
					      : 2;
	if (p[0] < 0xc2 || p[0] > 0xf4 || len > n)
		return 0;
	*cp = p[0] & (0x7f >> len);
	for (size_t i = 1; i < len; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		*cp = *cp << 6 | (p[i] & 0x3f);
	}
	if (*cp < least[len] || *cp > 0x10ffff || (*cp >= 0xd800 && *cp <= 0xdfff))
		return 0;
	return len;
}

/* Code points that move a cursor, break a line or reorder the text around them. */
static bool is_control(uint32_t c)
{
	static const struct range controls[] = {
		{ 0x00, 0x1f }, { 0x7f, 0x9f }, /* C0; DEL and C1 */
		{ 0x061c, 0x061c },
		{ 0x200e, 0x200f }, /* Arabic, left and right marks */
		{ 0x2028, 0x202e }, /* line and paragraph separators, bidi */
		{ 0x2066, 0x2069 }, /* bidi isolates */
	};

	return in_ranges(c, controls, ARRAY_SIZE(controls));
}

/* Returns how many of the first bytes are plain ASCII that no output format escapes. */
static size_t plain_span(const char *text, size_t n)
{
	static const bool plain[256] = { [' ' ... '!'] = true, ['#' ... '['] = true, [']' ... '~'] = true };
	size_t i = 0;

	while (i < n && plain[(unsigned char)text[i]])
		i++;
	return i;
}

/* Returns the letter of a short escape (n for \n), or 0. */
static char escape_letter(unsigned char c)
{
	switch (c) {
	case '\n':
		return 'n';
	case '\t':
		return 't';
	case '\r':
		return 'r';
	default:
		return 0;
	}
}

static void add_escape(struct str *s, const unsigned char *p, size_t n, bool octal)
{
	for (size_t i = 0; i < n; i++) {
		char letter = escape_letter(p[i]);

		if (letter)
			str_addf(s, "\\%c", letter);
		else
			str_addf(s, octal ? "\\%03o" : "\\x%02x", p[i]);
	}
}

static void add_printable(struct str *s, const char *text, size_t n, bool octal)
{
	str_reserve(s, n);
	while (n) {
		size_t plain = plain_span(text, n), len;
		uint32_t cp;

		str_addn(s, text, plain);
		text += plain;
		n -= plain;
		if (!n)
			return;
		len = utf8_decode((const unsigned char *)text, n, &cp);
		if (!len)
			add_escape(s, (const unsigned char *)text, 1, octal);
		else if (is_control(cp))
			add_escape(s, (const unsigned char *)text, len, octal);
		else
			str_addn(s, text, len);
		text += len ? len : 1;
		n -= len ? len : 1;
	}
}

void str_add_shown(struct str *s, const char *text, size_t n)
{
	add_printable(s, text, n, false);
}

void str_add_xml(struct str *s, const char *text, size_t n)
{
	__str struct str shown = {};

	str_add_shown(&shown, text, n);
	for (size_t i = 0; i < shown.len; i++) {
		const char *p = shown.data + i;

		if (*p == '<')
			str_add(s, "&lt;");
		else if (*p == '>')
			str_add(s, "&gt;");
		else if (*p == '&')
			str_add(s, "&amp;");
		else if (*p == '"')
			str_add(s, "&quot;");
		else if (*p == '\'')
			str_add(s, "&#39;");
		else if (!strncmp(p, "\xef\xbf\xbe", 3) || !strncmp(p, "\xef\xbf\xbf", 3)) {
			add_escape(s, (const unsigned char *)p, 3, false);
			i += 2;
		} else
			str_addc(s, *p);
	}
}

/* '=' must not come first: zsh replaces a word =NAME by the path of the command NAME. */
static bool is_shell_safe(const char *text, size_t n)
{
	static const char safe[] = "_@%+=:,./-";

	for (size_t i = 0; i < n; i++)
		if (!isalnum((unsigned char)text[i]) && !memchr(safe, text[i], sizeof(safe) - 1))
			return false;
	return n > 0 && text[0] != '=';
}

/*
 * In $'...' a backslash and a quote must be escaped as well. Bytes are written as three octal digits, which every
 * shell reads alike: after \x shells differ in how many hexadecimal digits they take, and ksh takes all that
 * follow.
 */
static void add_shell_escaped(struct str *s, const char *text, size_t n)
{
	str_add(s, "$'");
	while (n) {
		size_t run = 0;

		while (run < n && text[run] != '\'' && text[run] != '\\')
			run++;
		add_printable(s, text, run, true);
		if (run < n) {
			str_addc(s, '\\');
			str_addc(s, text[run++]);
		}
		text += run;
		n -= run;
	}
	str_addc(s, '\'');
}

void str_add_shell(struct str *s, const char *text, size_t n)
{
	size_t start = s->len;

	if (is_shell_safe(text, n)) {
		str_addn(s, text, n);
		return;
	}
	str_addc(s, '\'');
	str_add_shown(s, text, n);
	if (s->len == start + 1 + n && !memchr(text, '\'', n)) {
		str_addc(s, '\'');
		return;
	}
	s->len = start;
	add_shell_escaped(s, text, n);
}

static void add_json_char(struct str *s, uint32_t cp, const char *text, size_t len)
{
	char letter = cp < 0x80 ? escape_letter(cp) : 0;

	if (letter)
		str_addf(s, "\\%c", letter);
	else if (cp == '"' || cp == '\\')
		str_addf(s, "\\%c", (char)cp);
	else if (is_control(cp)) /* all are below U+10000: no surrogate pairs */
		str_addf(s, "\\u%04x", cp);
	else
		str_addn(s, text, len);
}

void str_add_json(struct str *s, const char *text, size_t n)
{
	str_reserve(s, n + 2);
	str_addc(s, '"');
	while (n) {
		size_t plain = plain_span(text, n), len;
		uint32_t cp;

		str_addn(s, text, plain);
		text += plain;
		n -= plain;
		if (!n)
			break;
		len = utf8_decode((const unsigned char *)text, n, &cp);
		if (len)
			add_json_char(s, cp, text, len);
		else
			str_add(s, "\xef\xbf\xbd"); /* U+FFFD */
		text += len ? len : 1;
		n -= len ? len : 1;
	}
	str_addc(s, '"');
}

static bool needs_csv_quotes(const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strchr(",\"\r\n", text[i]))
			return true;
	return !n;
}

/* quote: what a double quote becomes. */
static void add_readable(struct str *s, const char *text, size_t n, const char *quote)
{
	while (n) {
		size_t plain = plain_span(text, n), len;
		uint32_t cp = 0;

		str_addn(s, text, plain);
		text += plain;
		n -= plain;
		if (!n)
			return;
		len = utf8_decode((const unsigned char *)text, n, &cp);
		if (!len || (is_control(cp) && (cp >= 0x80 || !escape_letter(cp))))
			str_add(s, "\xef\xbf\xbd"); /* U+FFFD */
		else if (cp == '"')
			str_add(s, quote);
		else
			str_addn(s, text, len);
		text += len ? len : 1;
		n -= len ? len : 1;
	}
}

void str_add_plain(struct str *s, const char *text, size_t n)
{
	add_readable(s, text, n, "\"");
}

void str_add_csv(struct str *s, const char *text, size_t n)
{
	const char *quote = needs_csv_quotes(text, n) ? "\"" : "";

	str_add(s, quote);
	add_readable(s, text, n, "\"\"");
	str_add(s, quote);
}

static size_t columns_of(uint32_t cp)
{
	static const struct range none[] = {
		{ 0x0300, 0x036f },
		{ 0x0483, 0x0489 },
		{ 0x0591, 0x05bd },
		{ 0x1ab0, 0x1aff },
		{ 0x1dc0, 0x1dff },
		{ 0x200b, 0x200d },
		{ 0x20d0, 0x20ff },
		{ 0xfe00, 0xfe0f },
		{ 0xfe20, 0xfe2f },
		{ 0xfeff, 0xfeff },
	};
	static const struct range wide[] = {
		{ 0x1100, 0x115f },
		{ 0x2e80, 0x303e },
		{ 0x3041, 0x4dbf },
		{ 0x4e00, 0xa4cf },
		{ 0xa960, 0xa97f },
		{ 0xac00, 0xd7a3 },
		{ 0xf900, 0xfaff },
		{ 0xfe30, 0xfe6f },
		{ 0xff00, 0xff60 },
		{ 0xffe0, 0xffe6 },
		{ 0x1f300, 0x1f64f },
		{ 0x1f680, 0x1f6ff },
		{ 0x1f900, 0x1f9ff },
		{ 0x20000, 0x3fffd },
	};

	if (cp < 0x300)
		return 1;
	if (in_ranges(cp, none, ARRAY_SIZE(none)))
		return 0;
	return in_ranges(cp, wide, ARRAY_SIZE(wide)) ? 2 : 1;
}

size_t str_columns(const char *text, size_t n)
{
	size_t columns = 0;

	while (n) {
		size_t plain = plain_span(text, n), len;
		uint32_t cp;

		columns += plain;
		text += plain;
		n -= plain;
		if (!n)
			break;
		len = utf8_decode((const unsigned char *)text, n, &cp);
		columns += len ? columns_of(cp) : 1;
		text += len ? len : 1;
		n -= len ? len : 1;
	}
	return columns;
}
