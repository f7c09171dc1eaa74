// SPDX-License-Identifier: BSD-2-Clause
/* Parses probe specs by the grammar in spec.h. Does not know whether the things that a spec names exist. */
#include <ctype.h>

#include "base/nearest.h"
#include "match.h"
#include "spec.h"

const char *const mech_names[MECHS] = {
	[MECH_AUTO] = "auto",
	[MECH_FENTRY] = "fentry",
	[MECH_FENTRY_MULTI] = "fentry.multi",
	[MECH_KPROBE_MULTI] = "kprobe.multi",
	[MECH_KPROBE] = "kprobe",
	[MECH_RAW_TP] = "raw_tp",
	[MECH_TP] = "tp",
	[MECH_UPROBE_MULTI] = "uprobe.multi",
	[MECH_UPROBE] = "uprobe",
	[MECH_EVENT] = "event",
};

struct parse {
	const char *text;
	struct spec *spec;
	const struct word *word; /* the kind; NULL: none was given */
	struct err *err;
};

/* Each parses what follows the word and its colon. */
static int parse_kernel(struct parse *p, const char *rest);
static int parse_func(struct parse *p, const char *rest);
static int parse_tracepoint(struct parse *p, const char *rest);
static int parse_rawtracepoint(struct parse *p, const char *rest);
static int parse_user(struct parse *p, const char *rest);
static int parse_usdt(struct parse *p, const char *rest);

static const struct word {
	const char *word;
	int (*parse)(struct parse *p, const char *rest);
	enum mech mech;
	bool ret;
} words[] = {
	{ "kprobe", parse_kernel },
	{ "k", parse_kernel },
	{ "p", parse_func },
	{ "kretprobe", parse_kernel, .ret = true },
	{ "kr", parse_kernel, .ret = true },
	{ "r", parse_func, .ret = true },
	{ "fentry", parse_kernel, MECH_FENTRY },
	{ "kfunc", parse_kernel, MECH_FENTRY },
	{ "f", parse_kernel, MECH_FENTRY },
	{ "fexit", parse_kernel, MECH_FENTRY, .ret = true },
	{ "kretfunc", parse_kernel, MECH_FENTRY, .ret = true },
	{ "fr", parse_kernel, MECH_FENTRY, .ret = true },
	{ "tracepoint", parse_tracepoint },
	{ "t", parse_tracepoint },
	{ "rawtracepoint", parse_rawtracepoint, MECH_RAW_TP },
	{ "rt", parse_rawtracepoint, MECH_RAW_TP },
	{ "uprobe", parse_user },
	{ "u", parse_user },
	{ "uretprobe", parse_user, .ret = true },
	{ "ur", parse_user, .ret = true },
	{ "usdt", parse_usdt },
	{ "U", parse_usdt },
};

#define fail(p, where, ...) err_at((p)->err, (where) - (p)->text, __VA_ARGS__)

static const struct word *word_find(const char *text, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strlen(words[i].word) == len && !memcmp(words[i].word, text, len))
			return &words[i];
	return NULL;
}

/* The first c that is neither quoted nor in a bracket expression; NULL: none. */
static const char *find_outside(const char *text, char c)
{
	for (const char *q = text; *q; q++) {
		if (*q == c)
			return q;
		if (*q == '\\' && q[1])
			q++;
		else if (*q == '[' && match_bracket(q, false))
			q += match_bracket(q, false) - 1;
	}
	return NULL;
}

/*
 * The colon after an optional object; NULL: there is no object. A regex may hold colons of its own: before a regex
 * only a plain name counts as an object.
 */
static const char *optional_end(const struct parse *p, const char *text)
{
	const char *q = text;

	if (!p->spec->regex)
		return find_outside(text, ':');
	while (isalnum((unsigned char)*q) || (*q && strchr("_./+-", *q)))
		q++;
	return *q == ':' ? q : NULL;
}

/* The first ':' that is not part of a C++ '::'; NULL: none. */
static const char *single_colon(const char *name)
{
	const char *q = name;

	while ((q = find_outside(q, ':'))) {
		if (q[1] != ':')
			return q;
		q += 2;
	}
	return NULL;
}

static int check_pattern(struct parse *p, const char *pattern, bool regex, const char *where)
{
	struct err why = { .at = 0 };
	struct match *m = match_new(pattern, regex, &why);

	if (!m)
		return fail(p, where + why.at, "%s", why.text);
	match_free(m);
	return 0;
}

/* Sets the object to the text between two places. glob: it is a pattern, and checked. */
static int set_object(struct parse *p, const char *from, const char *to, bool glob)
{
	p->spec->object = base_strndup(from, to - from);
	return glob ? check_pattern(p, p->spec->object, false, from) : 0;
}

/* Parses the number from `from` to the end of the text into spec->offset. what: its name in errors. */
static int set_offset(struct parse *p, const char *from, const char *what)
{
	bool hex = from[0] == '0' && tolower((unsigned char)from[1]) == 'x';
	const char *digits = from + 2 * hex;
	char *end;

	/* strtoull() would take a sign and blanks */
	if (!(hex ? isxdigit((unsigned char)*digits) : isdigit((unsigned char)*digits)))
		return fail(p, digits, "the %s is not a number (decimal or 0x...)", what);
	errno = 0;
	p->spec->offset = strtoull(digits, &end, hex ? 16 : 10);
	if (errno)
		return fail(p, from, "the %s is too large", what);
	if (*end)
		return fail(p, end, "unexpected '%s' after the %s", end, what);
	return 0;
}

/* Names of kernel functions and tracepoints are C identifiers with the suffixes that compilers add (".isra.0"). */
static int check_identifier(struct parse *p, const char *name, const char *end)
{
	const char *q = name;

	while (q < end && (isalnum((unsigned char)*q) || strchr("_.$*?\\[", *q))) {
		if (*q == '[' && match_bracket(q, false))
			q += match_bracket(q, false);
		else
			q += 1 + (*q == '\\' && q[1]);
	}
	if (q < end && *q == '/')
		return fail(p, name, "a path needs u: in front of it and a function after it: u:%s:NAME", name);
	return q < end ? fail(p, q, "unexpected '%s' in the name", q) : 0;
}

/* Refuses an offset or address (what) where only names are possible. */
static int check_place(struct parse *p, const char *where, const char *what)
{
	enum spec_kind kind = p->spec->kind;

	if (kind == SPEC_TRACEPOINT || kind == SPEC_USDT)
		return fail(p, where, "a %s has no %s",
			    kind == SPEC_USDT ? "USDT probe" : "tracepoint", what);
	if (p->spec->ret)
		return fail(p, where, "a return probe takes the name of a function, not an %s", what);
	if (p->spec->mech == MECH_FENTRY)
		return fail(p, where, "%s takes the name of a function, not an %s (kprobe takes one)",
			    p->word->word, what);
	return 0;
}

/* Parses the offset of SYM+OFFSET. plus: the '+'. */
static int set_place(struct parse *p, const char *plus)
{
	struct match *m;
	int rc = check_place(p, plus, "offset");

	if (!rc)
		rc = set_offset(p, plus + 1, "offset");
	if (rc)
		return rc;
	m = match_new(p->spec->name, false, NULL);
	if (m && !match_literal(m))
		rc = fail(p, plus, "an offset needs the name of one function, not a pattern");
	match_free(m);
	return rc;
}

/* Whether a '+' is part of the name of a C++ operator: operator+, operator++, operator+=. */
static bool is_operator(const char *name, const char *plus)
{
	static const char word[] = "operator";
	size_t n = sizeof(word) - 1;

	plus -= plus > name && plus[-1] == '+';
	return (size_t)(plus - name) >= n && !memcmp(plus - n, word, n);
}

/*
 * The '+' before an offset: the last one that is neither quoted nor in brackets; NULL: none. A '+' before a digit
 * is one even after "operator".
 */
static const char *find_plus(const char *name, bool user)
{
	const char *plus = NULL;

	for (const char *q = name; (q = find_outside(q, '+')); q++)
		plus = q;
	return plus && user && !isdigit((unsigned char)plus[1]) && is_operator(name, plus) ? NULL : plus;
}

/* Parses the rest of the text: a name, a pattern, an address, or a name with an offset. */
static int set_name(struct parse *p, const char *name)
{
	struct spec *spec = p->spec;
	bool kernel = spec->kind == SPEC_KFUNC || spec->kind == SPEC_TRACEPOINT;
	const char *plus, *end;
	int rc;

	if (!*name)
		return fail(p, name, "the name is missing");
	if (spec->regex) {
		spec->name = base_strdup(name);
		return check_pattern(p, name, true, name);
	}
	if (name[0] == '0' && tolower((unsigned char)name[1]) == 'x') {
		rc = check_place(p, name, "address");
		return rc ? rc : set_offset(p, name, "address");
	}
	plus = find_plus(name, !kernel);
	if (plus == name)
		return fail(p, name, "the name is missing");
	end = plus ? plus : name + strlen(name);
	spec->name = base_strndup(name, end - name);
	rc = check_pattern(p, spec->name, false, name);
	if (!rc && kernel)
		rc = check_identifier(p, name, end);
	return rc || !plus ? rc : set_place(p, plus);
}

static int parse_kernel(struct parse *p, const char *rest)
{
	const char *end = optional_end(p, rest);
	int rc = 0;

	p->spec->kind = SPEC_KFUNC;
	if (end && memchr(rest, '/', end - rest))
		return fail(p, rest, "%s takes kernel functions, but this is a path (uprobe takes one)",
			    p->word->word);
	if (end && end > rest)
		rc = set_object(p, rest, end, true);
	return rc ? rc : set_name(p, end ? end + 1 : rest);
}

/* Parses a kernel function or X:NAME. Resolving decides later whether X is a kernel module or a binary. */
static int parse_func(struct parse *p, const char *rest)
{
	const char *end = optional_end(p, rest), *more;
	bool path = end && memchr(rest, '/', end - rest);
	int rc;

	if (!end || end == rest) {
		p->spec->kind = SPEC_KFUNC;
		return set_name(p, end ? end + 1 : rest);
	}
	p->spec->kind = path ? SPEC_UFUNC : SPEC_FUNC;
	rc = set_object(p, rest, end, !path);
	if (rc)
		return rc;
	more = p->spec->regex || path ? NULL : single_colon(end + 1);
	return more ? fail(p, more, "unexpected '%s' in the name", more) : set_name(p, end + 1);
}

static int parse_tracepoint(struct parse *p, const char *rest)
{
	const char *end = find_outside(rest, ':');
	int rc;

	p->spec->kind = SPEC_TRACEPOINT;
	if (!end)
		return fail(p, rest,
			    "the form of a tracepoint is %s:SYSTEM:NAME (%s:sched:sched_switch)",
			    p->word->word, p->word->word);
	if (end == rest)
		return fail(p, rest, "the tracepoint's system is missing (* matches any)");
	rc = set_object(p, rest, end, true);
	return rc ? rc : set_name(p, end + 1);
}

static int parse_rawtracepoint(struct parse *p, const char *rest)
{
	const char *end = optional_end(p, rest);
	int rc = 0;

	p->spec->kind = SPEC_TRACEPOINT;
	if (end && end > rest)
		rc = set_object(p, rest, end, true);
	return rc ? rc : set_name(p, end ? end + 1 : rest);
}

/* Parses the binary at the begin of a user probe. *name: what follows its colon. */
static int parse_binary(struct parse *p, const char *rest, const char *form, const char **name)
{
	const char *end = strchr(rest, ':');

	if (!end)
		return fail(p, rest, "a binary or library is missing: %s:%s", p->word->word, form);
	if (end == rest)
		return fail(p, rest, "the binary or library is empty: %s:%s", p->word->word, form);
	*name = end + 1;
	return set_object(p, rest, end, false);
}

static int parse_user(struct parse *p, const char *rest)
{
	const char *name;
	int rc;

	p->spec->kind = SPEC_UFUNC;
	rc = parse_binary(p, rest, "BIN:NAME", &name);
	if (!rc && *name == ':')
		rc = fail(p, name, "unexpected ':' after the binary");
	return rc ? rc : set_name(p, name);
}

static int parse_usdt(struct parse *p, const char *rest)
{
	const char *name, *end, *more;
	int rc;

	p->spec->kind = SPEC_USDT;
	rc = parse_binary(p, rest, "BIN:PROVIDER:NAME", &name);
	if (rc)
		return rc;
	end = optional_end(p, name);
	if (!end)
		return set_name(p, name);
	if (end > name) {
		p->spec->provider = base_strndup(name, end - name);
		rc = check_pattern(p, p->spec->provider, false, name);
	}
	more = p->spec->regex ? NULL : find_outside(end + 1, ':');
	if (!rc && more)
		rc = fail(p, more, "unexpected '%s' in the name", more);
	return rc ? rc : set_name(p, end + 1);
}

/* Whether the first word was meant as a kind: X:NAME has one colon, a spec with a kind that needs an object has two. */
static bool is_kind(const struct parse *p, const char *rest)
{
	const char *second;

	if (!p->spec->regex)
		return *rest == ':' || single_colon(rest);
	second = optional_end(p, rest);
	return second && second[1] != ':';
}

static int unknown_kind(struct parse *p, const char *end)
{
	char *kind __free = base_strndup(p->text, end - p->text);
	struct nearest near;

	nearest_init(&near, kind);
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		nearest_offer(&near, words[i].word);
	if (nearest_name(&near))
		return fail(p, p->text, "unknown probe kind '%s' (did you mean %s?)", kind,
			    nearest_name(&near));
	if (end[1] == ':')
		return fail(p, p->text, "'%s' needs a binary or library: a C++ or Rust function is u:BIN:%s",
			    p->text, p->text);
	return fail(
		p, p->text,
		"unknown probe kind '%s' (kinds: kprobe, kretprobe, fentry, fexit, tracepoint, "
		"rawtracepoint, uprobe, uretprobe, usdt)",
		kind);
}

static int parse(struct parse *p)
{
	const char *text = p->text, *end = optional_end(p, text);

	if (!*text)
		return fail(p, text, "the probe is empty");
	if (end == text)
		return fail(p, text, "a probe cannot begin with ':'");
	p->word = end ? word_find(text, end - text) : NULL;
	if (p->word) {
		p->spec->mech = p->word->mech;
		p->spec->ret = p->word->ret;
		return p->word->parse(p, end + 1);
	}
	if (end && !memchr(text, '/', end - text) && is_kind(p, end + 1))
		return unknown_kind(p, end);
	return parse_func(p, text);
}

int spec_parse(const char *text, bool regex, struct spec *spec, struct err *err)
{
	struct parse p = { .text = text, .spec = spec, .err = err };
	int rc;

	*spec = (struct spec){ .text = text, .regex = regex };
	rc = parse(&p);
	if (rc)
		spec_release(spec);
	return rc;
}

void spec_release(struct spec *spec)
{
	free(spec->object);
	free(spec->provider);
	free(spec->name);
	*spec = (struct spec){};
}
