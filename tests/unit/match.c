// SPDX-License-Identifier: BSD-2-Clause
/* Matches names against patterns, and finds the nearest name to a misspelt one. */
#include <criterion/criterion.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/nearest.h"
#include "base/str.h"
#include "probe/match.h"
#include "timeout.h"

Test(match, patterns)
{
	static const struct {
		const char *pattern;
		bool regex;
		const char *name;
		bool matches;
	} cases[] = {
		{ NULL, false, "anything", true },
		{ "*", false, "anything", true },
		{ "*", false, "", true },
		{ "vfs_read", false, "vfs_read", true },
		{ "vfs_read", false, "vfs_readv", false },
		{ "vfs_read", false, "vfs_rea", false },
		{ "vfs_*", false, "vfs_read", true },
		{ "vfs_*", false, "vfs_", true },
		{ "vfs_*", false, "vfs", false },
		{ "vfs_*", false, "xvfs_read", false },
		{ "vfs_*d", false, "vfs_read", true },
		{ "vfs_*d", false, "vfs_write", false },
		{ "vfs_**", false, "vfs_write", true },
		{ "*_read", false, "vfs_read", true },
		{ "vfs_?ead", false, "vfs_read", true },
		{ "vfs_?ead", false, "vfs_ead", false },
		{ "vfs_[rw]*", false, "vfs_write", true },
		{ "vfs_[rw]*", false, "vfs_open", false },
		{ "vfs_[!rw]*", false, "vfs_open", true },
		{ "vfs_[!rw]*", false, "vfs_read", false },
		{ "f[]]", false, "f]", true },
		{ "f[[:digit:]]", false, "f7", true },
		{ "f[[:digit:]]", false, "fx", false },
		{ "operator\\*", false, "operator*", true },
		{ "operator[]", false, "operator[]", true },
		{ "operator[](int)", false, "operator[](int)", true },
		{ "*operator[](*)", false, "V::operator[](int)", true },
		{ "*operator[](*)", false, "V::operator(](int)", false },
		{ "get[abi:cxx11]()", false, "get[abi:cxx11]()", true },
		{ "get[abi:cxx11]()", false, "getx()", true },
		{ "get[abi:cxx11]()", false, "get[abi:cxx12]()", false },
		{ "operator\\*", false, "operator+", false },
		{ "a\\+b*", false, "a+bc", true },
		{ "", false, "", true },
		{ "", false, "x", false },
		{ "^vfs_(read|write)$", true, "vfs_write", true },
		{ "^vfs_(read|write)$", true, "vfs_writev", false },
		{ "read", true, "vfs_readv", true },
		{ "^a{2}$", true, "aa", true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err err;
		struct match *m = match_new(cases[i].pattern, cases[i].regex, &err);

		cr_assert_not_null(m, "%s: %s", cases[i].pattern, err.text);
		cr_expect_eq(match_test(m, cases[i].name), cases[i].matches, "'%s' on '%s'",
			     cases[i].pattern, cases[i].name);
		match_free(m);
	}
}

Test(match, literals)
{
	static const struct {
		const char *pattern;
		bool regex;
		const char *literal;
	} cases[] = {
		{ "vfs_read", false, "vfs_read" },
		{ "a\\+b", false, "a+b" },
		{ "a\\*", false, "a*" },
		{ "vfs_*", false, NULL },
		{ "vfs_?", false, NULL },
		{ "[ab]", false, NULL },
		{ "vfs_read", true, NULL },
		{ NULL, false, NULL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct match *m = match_new(cases[i].pattern, cases[i].regex, NULL);
		const char *literal = match_literal(m);

		if (cases[i].literal)
			cr_expect_str_eq(literal, cases[i].literal);
		else
			cr_expect_null(literal, "%s", cases[i].pattern);
		match_free(m);
	}
}

Test(match, bad_patterns_and_their_places)
{
	static const struct {
		const char *pattern;
		bool regex;
		int at;
		const char *says;
	} cases[] = {
		{ "vfs_[rw", false, 4, "unclosed '['" },
		{ "[", false, 0, "unclosed '['" },
		{ "a[]", false, 1, "unclosed '['" },
		{ "a[!]", false, 1, "unclosed '['" },
		{ "[a]b[[:alpha:]", false, 4, "unclosed '['" },
		{ "a\\", false, 1, "nothing after the '\\'" },
		{ "a*\\", false, 2, "nothing after the '\\'" },
		{ "a(b", true, 1, "bad regular expression" },
		{ "(a", true, 0, "bad regular expression" },
		{ "ab[c", true, 2, "bad regular expression" },
		{ "(a)|b[", true, 5, "bad regular expression" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err err = { .at = -2 };

		cr_assert_null(match_new(cases[i].pattern, cases[i].regex, &err), "%s",
			       cases[i].pattern);
		cr_expect_eq(err.code, -EINVAL);
		cr_expect_eq(err.at, cases[i].at, "%s: at %d", cases[i].pattern, err.at);
		cr_expect_not_null(strstr(err.text, cases[i].says), "%s", err.text);
	}
}

static char *repeated(const char *first, const char *piece, int n)
{
	struct str text = {};

	str_add(&text, first);
	while (n--)
		str_add(&text, piece);
	return text.data;
}

/* With each of these, glibc's regcomp() takes gigabytes or minutes, or exhausts the stack. */
Test(match, bombs_are_refused, .timeout = TIMEOUT_SECONDS)
{
	char *bombs[] = {
		repeated("us", "+", 40),
		repeated("a", "{1,255}", 3),
		repeated("(a?){1000}", "{2}", 10),
		repeated("", "(^|a?)", 200),
		repeated("", "\\b", 800),
	};
	__free char *deep = repeated("", "(", 200000);
	struct rusage usage;
	struct err err;

	for (size_t i = 0; i < ARRAY_SIZE(bombs); i++) {
		err = (struct err){ .at = -2 };
		cr_expect_null(match_new(bombs[i], true, &err), "%.20s", bombs[i]);
		cr_expect_eq(err.code, -EINVAL);
		cr_expect_eq(err.at, 0);
		cr_expect_not_null(strstr(err.text, "needs too much memory or time"), "%s", err.text);
		cr_expect_null(strchr(err.text, '\n'));
		free(bombs[i]);
	}
	cr_expect_null(match_new(deep, true, &err));
	cr_expect_not_null(strstr(err.text, "longer than 16384 characters"), "%s", err.text);
	/* the children have taken the memory, not we */
	getrusage(RUSAGE_SELF, &usage);
	cr_expect_lt(usage.ru_utime.tv_sec, 2);
	cr_expect_eq(waitpid(-1, NULL, WNOHANG), -1);
}

/* Users paste long lists of names. */
Test(match, long_patterns_are_no_bombs)
{
	__free char *pattern = repeated("^(one_function", "|another_function_of_the_kernel", 300);
	__free char *whole = base_printf("%s)$", pattern);
	struct err err = {};
	struct match *m = match_new(whole, true, &err);

	cr_assert(m, "%s", err.text);
	cr_expect(match_test(m, "another_function_of_the_kernel"));
	cr_expect_not(match_test(m, "another_function_of_the_kernels"));
	match_free(m);
}

Test(match, brackets)
{
	cr_expect_eq(match_bracket("[a-z]x", false), 5);
	cr_expect_eq(match_bracket("[!]x]y", false), 5);
	cr_expect_eq(match_bracket("[[:alpha:]]", false), 11);
	cr_expect_eq(match_bracket("[[:alpha]", false), 9);
	cr_expect_eq(match_bracket("[\\]]", false), 4);
	cr_expect_eq(match_bracket("[\\]]", true), 3);
	cr_expect_eq(match_bracket("[!]", true), 3);
	cr_expect_eq(match_bracket("[abc", false), 0);
}

Test(match, nearest)
{
	static const struct {
		const char *wanted, *candidates[4], *nearest;
	} cases[] = {
		{ "vfs_raed",
		  { "vfs_write", "vfs_read", "vfs_readv" },
		  "vfs_read" }, /* swapped: one */
		{ "pif", { "comm", "pid", "tid" }, "pid" },
		{ "pif", { "comm", "uid" }, NULL },
		{ "ab", { "ac" }, NULL }, /* too short to be meant */
		{ "kprob", { "kretprobe", "kprobe" }, "kprobe" },
		{ "same", { "sama", "same" }, "same" },
		{ "tcp_sendmsg", { "udp_sendmsg" }, "udp_sendmsg" },
		{ "tcp_sendmsg", { "vfs_readpage" }, NULL },
		{ "abcdefghijklmnopqr", { "abcdefghijklm" }, NULL }, /* five, at most four */
		{ "abcdefghijklmnopqr", { "abcdefghijklmn" }, "abcdefghijklmn" },
		{ "abcdef", { "abcdeg", "abcdeh" }, "abcdeg" }, /* the first of equals */
		{ "abcdef", { "bacdfe" }, "bacdfe" },		/* two swaps */
		{ "abcdef", { "" }, NULL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct nearest near;
		const char *name;

		nearest_init(&near, cases[i].wanted);
		for (size_t j = 0; j < 4 && cases[i].candidates[j]; j++)
			nearest_offer(&near, cases[i].candidates[j]);
		name = nearest_name(&near);
		if (cases[i].nearest)
			cr_expect(name && !strcmp(name, cases[i].nearest), "%s: %s",
				  cases[i].wanted, name);
		else
			cr_expect_null(name, "%s: %s", cases[i].wanted, name);
	}
}

Test(match, names_too_long_to_keep_are_not_offered)
{
	char name[300], wanted[300];
	struct nearest near;

	memset(name, 'a', sizeof(name));
	memset(wanted, 'a', sizeof(wanted));
	name[200] = wanted[201] = '\0';
	nearest_init(&near, wanted);
	nearest_offer(&near, name);
	cr_expect_null(nearest_name(&near));
	name[127] = wanted[126] = '\0';
	nearest_init(&near, wanted);
	nearest_offer(&near, name);
	cr_expect_str_eq(nearest_name(&near), name);
}
