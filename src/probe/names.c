// SPDX-License-Identifier: BSD-2-Clause
/*
 * Matches patterns against demangled names. A binary may have some hundred thousand names, and demangling one takes
 * a microsecond or more. So the runs of letters that every match must contain are first searched in the mangled
 * name. Knows nothing of files.
 */
#include <ctype.h>

#include "binary/demangle.h"
#include "names.h"

struct names {
	const struct match *match;
	bool typed; /* has a blank: may match a name that begins with its return type */
	bool open;  /* ends with '*': a C++ name that does not match with its parameters does not match without them */
	bool plain; /* has a ')': may match a name that is cut after its parameters */
	struct str text;
	vec(char *); /* the runs that every match contains, NUL-terminated */
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static void end_run(struct names *names, struct str *run)
{
	if (run->len && demangle_is_telling(run->data, run->len))
		*vec_push(names) = base_strndup(run->data, run->len);
	str_reset(run);
}

static void read_glob(struct names *names, const char *pattern)
{
	struct str run __str = {};

	for (const char *p = pattern; *p; p++) {
		size_t bracket = *p == '[' ? match_bracket(p, false) : 0;

		names->open = *p == '*';
		p += bracket ? bracket - 1 : *p == '\\';
		if (!bracket && is_word(*p))
			str_addc(&run, *p);
		else
			end_run(names, &run);
	}
	end_run(names, &run);
}

/* The length of the atom of a regex that begins at p: a bracket expression or a quoted letter is one. */
static size_t atom_len(const char *p)
{
	size_t bracket = *p == '[' ? match_bracket(p, true) : 0;

	if (bracket)
		return bracket;
	return *p == '\\' && p[1] ? 2 : 1;
}

/* Ignores what is in parentheses, for it may be repeated zero times. A regex with alternatives outside has no runs. */
static void read_regex(struct names *names, const char *pattern)
{
	struct str run __str = {};
	size_t depth = 0;

	for (const char *p = pattern; *p; p += atom_len(p)) {
		if (*p == '|' && !depth)
			goto nothing;
		depth += *p == '(';
		depth -= *p == ')' && depth;
		if (depth || !is_word(*p) || (p[1] && strchr("*?{", p[1])))
			end_run(names, &run);
		else
			str_addc(&run, *p);
	}
	end_run(names, &run);
	return;
nothing:
	vec_each(found, names)
		free(*found);
	names->n = 0;
}

struct names *names_new(const char *pattern, bool regex, const struct match *match)
{
	struct names *names = base_alloc(sizeof(*names));

	names->match = match;
	names->typed = strchr(pattern, ' ');
	names->plain = strchr(pattern, ')');
	if (regex)
		read_regex(names, pattern);
	else
		read_glob(names, pattern);
	return names;
}

void names_free(struct names *names)
{
	if (!names)
		return;
	vec_each(run, names)
		free(*run);
	free(names->v);
	str_release(&names->text);
	free(names);
}

static bool test_form(struct names *names, const char *symbol, enum demangle_form form)
{
	return demangle(symbol, form, &names->text) && match_test(names->match, names->text.data);
}

static bool may_hold(const struct names *names, const char *symbol)
{
	if (!demangle_is_mangled(symbol))
		return false;
	vec_each(run, names)
		if (!demangle_may_hold(symbol, *run))
			return false;
	return true;
}

bool names_test(struct names *names, const char *symbol)
{
	return may_hold(names, symbol) &&
	       (test_form(names, symbol, DEMANGLE_WHOLE) ||
		(!(names->open && symbol[1] == 'Z') && test_form(names, symbol, DEMANGLE_PATH)) ||
		(names->plain && test_form(names, symbol, DEMANGLE_PLAIN)) ||
		(names->typed && test_form(names, symbol, DEMANGLE_TYPED)));
}

bool names_test_last(struct names *names, const char *symbol)
{
	const char *wanted = match_literal(names->match);
	size_t n = strlen(wanted);

	return may_hold(names, symbol) && demangle(symbol, names->plain ? DEMANGLE_PLAIN : DEMANGLE_PATH, &names->text) &&
	       names->text.len >= n + 2 && !memcmp(names->text.data + names->text.len - n - 2, "::", 2) &&
	       !memcmp(names->text.data + names->text.len - n, wanted, n);
}
