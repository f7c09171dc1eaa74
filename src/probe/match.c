// SPDX-License-Identifier: BSD-2-Clause
/*
 * Matches one pattern against many names. A kernel has two hundred thousand: most are rejected by their first
 * letters, without fnmatch() or regexec(). Knows nothing of what the names mean.
 */
#include <fnmatch.h>

#include "base/str.h"
#include "match.h"
#include "regex.h"

enum match_how {
	MATCH_ALL,
	MATCH_LITERAL,
	MATCH_PREFIX, /* a prefix and one '*' */
	MATCH_GLOB,
	MATCH_REGEX,
};

struct match {
	enum match_how how;
	char *pattern; /* MATCH_LITERAL: the name, without quoting */
	char *text;    /* globs with a '[': the pattern as typed, for names may hold brackets: get[abi:cxx11]() */
	char *prefix;  /* globs: the letters before the first wildcard, without quoting */
	size_t prefix_len;
	regex_t regex;
};

size_t match_bracket(const char *p, bool regex)
{
	const char *q = p + 1;

	q += *q == '^' || (*q == '!' && !regex);
	q += *q == ']'; /* a ']' in the first place is a letter, not the end */
	for (; *q && *q != ']'; q++) {
		if (q[0] == '[' && q[1] && strchr(":.=", q[1])) {
			const char end[] = { q[1], ']', '\0' }, *close = strstr(q + 2, end);

			if (close)
				q = close + 1;
		} else if (q[0] == '\\' && q[1] && !regex) {
			q++;
		}
	}
	return *q ? q + 1 - p : 0;
}

/*
 * Whether p is the "[]" of C++'s operator[]. POSIX would read it as the begin of "[]...]", which nobody intends
 * here.
 */
static bool is_subscript(const char *pattern, const char *p)
{
	static const char word[] = "operator";
	size_t n = sizeof(word) - 1;

	return p[0] == '[' && p[1] == ']' && (size_t)(p - pattern) >= n && !memcmp(p - n, word, n);
}

/* The pattern for fnmatch(), with the '[' of operator[] quoted. The caller frees it. */
static char *quote_subscripts(const char *pattern)
{
	struct str quoted = {};

	for (const char *p = pattern; *p; p++) {
		if (is_subscript(pattern, p))
			str_addc(&quoted, '\\');
		str_addc(&quoted, *p);
	}
	return quoted.data;
}

/* Checks a glob, and finds the letters with which every match begins. */
static int glob_read(struct match *m, const char *pattern, struct err *err)
{
	struct str prefix __str = {};
	const char *rest = NULL; /* begins with the first wildcard */
	size_t len;

	for (const char *p = pattern; *p; p++) {
		if (*p == '[' && !is_subscript(pattern, p)) {
			len = match_bracket(p, false);
			if (!len)
				return err_at(err, p - pattern, "unclosed '[' in '%s'", pattern);
			rest = rest ? rest : p;
			p += len - 1;
		} else if (*p == '*' || *p == '?') {
			rest = rest ? rest : p;
		} else {
			if (*p == '\\' && !*++p)
				return err_at(err, p - 1 - pattern,
					      "nothing after the '\\' in '%s'", pattern);
			if (!rest)
				str_addc(&prefix, *p);
		}
	}
	m->prefix = base_strdup(prefix.data ? prefix.data : "");
	m->prefix_len = prefix.len;
	m->how = !rest ? MATCH_LITERAL : !strcmp(rest, "*") ? MATCH_PREFIX
							    : MATCH_GLOB;
	m->pattern = rest ? quote_subscripts(pattern) : base_strdup(m->prefix);
	m->text = rest && strchr(pattern, '[') ? base_strdup(pattern) : NULL;
	return 0;
}

static int regex_read(struct match *m, const char *pattern, struct err *err)
{
	int ret = regex_compile(&m->regex, pattern, err);

	if (!ret)
		m->how = MATCH_REGEX;
	return ret;
}

struct match *match_new(const char *pattern, bool regex, struct err *err)
{
	struct match *m = base_alloc(sizeof(*m));
	int rc = 0;

	if (pattern)
		rc = regex ? regex_read(m, pattern, err) : glob_read(m, pattern, err);
	if (!rc)
		return m;
	free(m);
	return NULL;
}

void match_free(struct match *m)
{
	if (!m)
		return;
	if (m->how == MATCH_REGEX)
		regfree(&m->regex);
	free(m->pattern);
	free(m->text);
	free(m->prefix);
	free(m);
}

bool match_test(const struct match *m, const char *name)
{
	switch (m->how) {
	case MATCH_ALL:
		return true;
	case MATCH_LITERAL:
		return !strcmp(m->pattern, name);
	case MATCH_PREFIX:
		return !strncmp(m->prefix, name, m->prefix_len);
	case MATCH_GLOB:
		return !strncmp(m->prefix, name, m->prefix_len) &&
		       (!fnmatch(m->pattern, name, 0) || (m->text && !strcmp(m->text, name)));
	case MATCH_REGEX:
		return !regexec(&m->regex, name, 0, NULL, 0);
	}
	return false;
}

const char *match_literal(const struct match *m)
{
	return m->how == MATCH_LITERAL ? m->pattern : NULL;
}
