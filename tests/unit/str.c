// SPDX-License-Identifier: BSD-2-Clause
/* The growing string and how foreign bytes become printable. */
#include <criterion/criterion.h>

#include "base/str.h"

Test(str, grows_and_stays_terminated)
{
	struct str s __str = {};

	for (int i = 0; i < 1000; i++)
		str_addc(&s, 'a' + i % 26);
	cr_expect_eq(s.len, 1000);
	cr_expect_eq(strlen(s.data), 1000);
	cr_expect_eq(s.data[999], 'a' + 999 % 26);
	str_reset(&s);
	cr_expect_str_eq(s.data, "");
	str_add_fill(&s, '.', 3);
	str_addn(&s, "abc", 2);
	cr_expect_str_eq(s.data, "...ab");
}

Test(str, formats_what_does_not_fit_at_first)
{
	struct str s __str = {};
	char longer[500];

	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	str_addf(&s, "%d ", 7);
	str_addf(&s, "%s|", longer);
	cr_expect_eq(s.len, 2 + 499 + 1);
	cr_expect_eq(strlen(s.data), s.len);
	cr_expect_str_eq(s.data + s.len - 3, "xx|");
}

Test(str, numbers)
{
	static const struct {
		uint64_t value;
		const char *text;
	} cases[] = {
		{ 0, "0" },
		{ 9, "9" },
		{ 10, "10" },
		{ 1234567890123ull, "1234567890123" },
		{ UINT64_MAX, "18446744073709551615" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct str s __str = {};

		str_add_u64(&s, cases[i].value);
		cr_expect_str_eq(s.data, cases[i].text);
	}
}

static const struct {
	const char *what, *bytes;
	size_t n; /* 0: strlen */
	const char *shown, *json;
} foreign[] = {
	{ "nothing", "", 0, "", "\"\"" },
	{ "plain", "vfs_read", 0, "vfs_read", "\"vfs_read\"" },
	{ "quotes", "a\"b\\c", 0, "a\"b\\c", "\"a\\\"b\\\\c\"" },
	{ "short escapes", "a\nb\tc\rd", 0, "a\\nb\\tc\\rd", "\"a\\nb\\tc\\rd\"" },
	{ "a cursor movement", "\033[2J", 0, "\\x1b[2J", "\"\\u001b[2J\"" },
	{ "an embedded NUL", "a\0b", 3, "a\\x00b", "\"a\\u0000b\"" },
	{ "DEL", "\x7f", 0, "\\x7f", "\"\\u007f\"" },
	{ "C1 CSI",
	  "\xc2\x9b"
	  "A",
	  0, "\\xc2\\x9bA", "\"\\u009bA\"" },
	{ "the first after C1", "\xc2\xa0", 0, "\xc2\xa0", "\"\xc2\xa0\"" },
	{ "right-to-left override",
	  "\xe2\x80\xae"
	  "x",
	  0, "\\xe2\\x80\\xaex", "\"\\u202ex\"" },
	{ "bidi isolate", "\xe2\x81\xa6", 0, "\\xe2\\x81\\xa6", "\"\\u2066\"" },
	{ "Arabic letter mark", "\xd8\x9c", 0, "\\xd8\\x9c", "\"\\u061c\"" },
	{ "line separator", "\xe2\x80\xa8", 0, "\\xe2\\x80\\xa8", "\"\\u2028\"" },
	{ "two, three and four bytes", "\xc3\xa9\xe6\x97\xa5\xf0\x9f\x90\x9d", 0,
	  "\xc3\xa9\xe6\x97\xa5\xf0\x9f\x90\x9d", "\"\xc3\xa9\xe6\x97\xa5\xf0\x9f\x90\x9d\"" },
	{ "a lone continuation", "a\x80z", 0, "a\\x80z", "\"a\xef\xbf\xbdz\"" },
	{ "cut short", "\xe6\x97", 0, "\\xe6\\x97", "\"\xef\xbf\xbd\xef\xbf\xbd\"" },
	{ "cut short, then text",
	  "\xe6"
	  "a",
	  0,
	  "\\xe6"
	  "a",
	  "\"\xef\xbf\xbd"
	  "a\"" },
	{ "overlong slash", "\xc0\xaf", 0, "\\xc0\\xaf", "\"\xef\xbf\xbd\xef\xbf\xbd\"" },
	{ "overlong in three", "\xe0\x80\xaf", 0, "\\xe0\\x80\\xaf",
	  "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"" },
	{ "a surrogate", "\xed\xa0\x80", 0, "\\xed\\xa0\\x80",
	  "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"" },
	{ "the last code point", "\xf4\x8f\xbf\xbf", 0, "\xf4\x8f\xbf\xbf",
	  "\"\xf4\x8f\xbf\xbf\"" },
	{ "beyond the last", "\xf4\x90\x80\x80", 0, "\\xf4\\x90\\x80\\x80",
	  "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"" },
	{ "no UTF-8 at all", "\xff", 0, "\\xff", "\"\xef\xbf\xbd\"" },
};

/* Puts the text into a buffer of exactly n bytes: ASan finds a decoder that reads beyond it. */
static void add_exact(struct str *s, size_t i, void (*add)(struct str *, const char *, size_t))
{
	size_t n = foreign[i].n ? foreign[i].n : strlen(foreign[i].bytes);
	char *exact __free = malloc(n ? n : 1);

	memcpy(exact, foreign[i].bytes, n);
	add(s, exact, n);
}

Test(str, shows_foreign_text)
{
	for (size_t i = 0; i < ARRAY_SIZE(foreign); i++) {
		struct str s __str = {};

		add_exact(&s, i, str_add_shown);
		cr_expect_str_eq(s.data, foreign[i].shown, "%s: %s", foreign[i].what, s.data);
		cr_expect_eq(strlen(s.data), s.len, "%s", foreign[i].what);
	}
}

Test(str, quotes_foreign_text_as_json)
{
	for (size_t i = 0; i < ARRAY_SIZE(foreign); i++) {
		struct str s __str = {};

		add_exact(&s, i, str_add_json);
		cr_expect_str_eq(s.data, foreign[i].json, "%s: %s", foreign[i].what, s.data);
	}
}

/* For any input, the result has no control character and no invalid UTF-8. */
Test(str, no_byte_sequence_steers_a_terminal)
{
	for (unsigned int pair = 0; pair < 0x10000; pair++) {
		char bytes[] = { pair >> 8, pair };
		struct str s __str = {}, again __str = {};

		str_add_shown(&s, bytes, 2);
		for (size_t i = 0; i < s.len; i++)
			cr_assert((unsigned char)s.data[i] >= ' ' && s.data[i] != 0x7f, "%04x",
				  pair);
		str_add_shown(&again, s.data, s.len);
		cr_assert_str_eq(again.data, s.data, "%04x is shown as what must be escaped", pair);
	}
}

Test(str, quotes_words_for_a_shell)
{
	static const struct {
		const char *word, *quoted;
	} cases[] = {
		{ "", "''" },
		{ "ls", "ls" },
		{ "-j4", "-j4" },
		{ "--color=auto", "--color=auto" },
		{ "/usr/bin/c++:a@b%c,d_e", "/usr/bin/c++:a@b%c,d_e" },
		{ "=ls", "'=ls'" },
		{ "~", "'~'" },
		{ "a b", "'a b'" },
		{ "$HOME `id` \"x\" \\ * ? [ ! # & | ; < > ( )", "'$HOME `id` \"x\" \\ * ? [ ! # & | ; < > ( )'" },
		{ "it's", "$'it\\'s'" },
		{ "'\\", "$'\\'\\\\'" },
		{ "a\nb\tc\rd", "$'a\\nb\\tc\\rd'" },
		/* octal: in hexadecimal some shells would take the 4 as well */
		{ "\033"
		  "41",
		  "$'\\03341'" },
		{ "\xff"
		  "7",
		  "$'\\3777'" },
		{ "\xc3\xa9", "'\xc3\xa9'" },
		{ "\xc2\x9b"
		  "A",
		  "$'\\302\\233A'" },
		{ "\\n\n", "$'\\\\n\\n'" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct str s __str = {};

		str_add(&s, "x ");
		str_add_shell(&s, cases[i].word, strlen(cases[i].word));
		cr_expect_str_eq(s.data + 2, cases[i].quoted, "%s", s.data);
	}
}

/* What a shell makes of '...' and $'...', as far as we write it; false where it would differ from shell to shell. */
static bool shell_reads(const char *p, struct str *word)
{
	static const char letters[] = "ntr\\'", meaning[] = "\n\t\r\\'";
	bool dollar = *p == '$';

	if (!dollar && *p != '\'') {
		str_add(word, p);
		return !p[strcspn(p, " \t\n'\"\\$`*?[]#~<>|&;(){}!^")];
	}
	for (p += 1 + dollar; *p && *p != '\''; p++) {
		const char *letter;

		if (!dollar || *p != '\\') {
			str_addc(word, *p);
			continue;
		}
		letter = strchr(letters, *++p);
		if (letter && *letter) {
			str_addc(word, meaning[letter - letters]);
		} else {
			if (strspn(p, "01234567") < 3)
				return false;
			str_addc(word, (char)((p[0] - '0') << 6 | (p[1] - '0') << 3 | (p[2] - '0')));
			p += 2;
		}
	}
	return p[0] == '\'' && !p[1];
}

Test(str, a_shell_reads_back_any_word)
{
	for (unsigned int pair = 0x0100; pair < 0x10000; pair++) {
		char bytes[] = { pair >> 8, pair & 0xff ? pair : '4', '1' };
		struct str s __str = {}, word __str = {};

		str_add_shell(&s, bytes, sizeof(bytes));
		cr_assert(shell_reads(s.data, &word), "%04x: %s", pair, s.data);
		cr_assert(word.len == sizeof(bytes) && !memcmp(word.data, bytes, word.len), "%04x: %s", pair, s.data);
		for (size_t i = 0; i < s.len; i++)
			cr_assert((unsigned char)s.data[i] >= ' ' && s.data[i] != 0x7f, "%04x", pair);
	}
}

Test(str, columns)
{
	static const struct {
		const char *text;
		size_t columns;
	} cases[] = {
		{ "", 0 },
		{ "vfs_read \"\\", 11 },
		{ "\xc3\xa9", 1 },
		{ "\xe6\x97\xa5\xe6\x9c\xac", 4 },
		{ "\xf0\x9f\x90\x9d!", 3 },
		{ "e\xcc\x81", 1 },
		/* combining acute */ { "\xea\xb0\x80", 2 },
		{ "\xe2\x94\x80", 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		cr_expect_eq(str_columns(cases[i].text, strlen(cases[i].text)), cases[i].columns,
			     "%s", cases[i].text);
}

Test(str, xml)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "<a b=\"c\" d='e'>&]]>", "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;]]&gt;" },
		{ "\001\033\n\177\xff", "\\x01\\x1b\\n\\x7f\\xff" },
		/* U+FFFE and U+FFFF are no characters of XML, those beside them are */
		{ "\xef\xbf\xbe\xef\xbf\xbf\xef\xbf\xbd\xf0\x90\x80\x80",
		  "\\xef\\xbf\\xbe\\xef\\xbf\\xbf\xef\xbf\xbd\xf0\x90\x80\x80" },
		{ "\xe2\x80\xae\xef\xbf", "\\xe2\\x80\\xae\\xef\\xbf" },
		{ "", "" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct str s __str = {};

		str_add_xml(&s, cases[i].text, strlen(cases[i].text));
		cr_expect_str_eq(str_or_empty(s.data), cases[i].want, "%s", str_or_empty(s.data));
	}
}
