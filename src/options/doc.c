// SPDX-License-Identifier: BSD-2-Clause
/*
 * Writes --help, and has what all documentation from option tables shares. Assumes 80 columns; knows nothing of
 * the real terminal.
 */
#include <ctype.h>

#include "doc_opt.h"

#define WIDTH	 80
#define LEFT_MAX 30 /* a longer left side gets a line of its own */

const char *const group_titles[GROUPS] = {
	[GROUP_SLOW] = "what is slow?",
	[GROUP_WHO] = "who does this?",
	[GROUP_LONG] = "how long?",
	[GROUP_OFTEN] = "how often?",
	[GROUP_HAPPENED] = "what happened?",
	[GROUP_ALWAYS] = "always on",
	[GROUP_CRASH] = "after a crash",
	[GROUP_OTHERS] = "others",
};

bool doc_takes_argument(const struct opt *opt)
{
	return opt->type != OPT_BOOL && opt->arg;
}

bool doc_opt(const struct doc *doc, size_t t, size_t i, struct doc_opt *o)
{
	const struct opt_table *table = &doc->tables[t];
	const struct opt *opt = &table->opts[i];

	if (opt_lacks(table, i))
		return false;
	*o = (struct doc_opt){ .opt = opt, .letter = opt_letter(table, i), .name = opt->name };
	for (const struct opt_table *earlier = doc->tables; earlier <= table; earlier++) {
		size_t n = earlier == table ? i : earlier->n;

		for (size_t other = 0; other < n; other++) {
			const char *name = earlier->opts[other].name;

			if (opt_lacks(earlier, other))
				continue;
			if (opt_letter(earlier, other) == o->letter)
				o->letter = 0;
			if (o->name && name && !strcmp(name, o->name))
				o->name = NULL;
		}
	}
	return o->letter || o->name;
}

bool doc_table_shown(const struct doc *doc, size_t t)
{
	struct doc_opt o;

	for (size_t i = 0; i < doc->tables[t].n; i++)
		if (doc_opt(doc, t, i, &o))
			return true;
	return false;
}

void doc_add_help(struct str *s, const struct opt *opt)
{
	str_add(s, opt->help ? opt->help : "");
	if (opt->type != OPT_CHOICE)
		return;
	for (size_t i = 0; opt->choices[i]; i++)
		str_addf(s, "%s%s", i ? ", " : s->len ? ": "
						      : "",
			 opt->choices[i]);
}

/* Writes words from column `at` on and breaks lines; each new line begins at column `indent`. */
static void wrap(FILE *out, const char *text, size_t at, size_t indent)
{
	bool first = true;

	while (*text) {
		size_t len = strcspn(text, " \n"), columns = str_columns(text, len);

		if (!len) {
			text++;
			continue;
		}
		if (!first && at + 1 + columns > WIDTH) {
			fprintf(out, "\n%*s", (int)indent, "");
			at = indent;
			first = true;
		}
		fprintf(out, "%s%.*s", first ? "" : " ", (int)len, text);
		at += columns + !first;
		first = false;
		text += len;
	}
	fputc('\n', out);
}

/* Writes left, then right from a column on; on the next line if left is too long. */
static void two_columns(FILE *out, const char *left, const char *right, size_t column)
{
	size_t at = str_columns(left, strlen(left));

	fputs(left, out);
	if (!*right) {
		fputc('\n', out);
		return;
	}
	if (at + 2 > column) {
		fputc('\n', out);
		at = 0;
	}
	fprintf(out, "%*s", (int)(column - at), "");
	wrap(out, right, column, column);
}

/* "  -p, --pid PID" */
static void add_left(struct str *s, const struct doc_opt *o)
{
	const struct opt *opt = o->opt;

	if (o->letter)
		str_addf(s, "  -%c%s", o->letter, o->name ? ", " : "");
	else
		str_add(s, "      ");
	if (o->name)
		str_addf(s, "--%s", o->name);
	if (doc_takes_argument(opt) && opt->optional_arg)
		str_addf(s, o->name ? "[=%s]" : "[%s]", opt->arg);
	else if (doc_takes_argument(opt))
		str_addf(s, " %s", opt->arg);
}

/* Returns the column of the right sides: behind the longest left side that is not too long. */
static size_t help_column(const struct doc *doc)
{
	struct str left __str = {};
	struct doc_opt o;
	size_t longest = 0;

	for (size_t t = 0; t < doc->n_tables; t++) {
		for (size_t i = 0; i < doc->tables[t].n; i++) {
			if (!doc_opt(doc, t, i, &o))
				continue;
			str_reset(&left);
			add_left(&left, &o);
			if (left.len > longest && left.len <= LEFT_MAX)
				longest = left.len;
		}
	}
	return longest + 2;
}

static void help_table(FILE *out, const struct doc *doc, size_t t, size_t column)
{
	const char *title = doc->tables[t].title;

	if (!doc_table_shown(doc, t))
		return;
	fprintf(out, "\n%s:\n", title ? title : "options");
	for (size_t i = 0; i < doc->tables[t].n; i++) {
		struct str left __str = {}, right __str = {};
		struct doc_opt o;

		if (!doc_opt(doc, t, i, &o))
			continue;
		add_left(&left, &o);
		doc_add_help(&right, o.opt);
		two_columns(out, left.data, right.data, column);
	}
}

void doc_help(FILE *out, const struct doc *doc)
{
	struct str usage __str = {};
	size_t column = help_column(doc);

	str_addf(&usage, "sonde %s [options] %s", doc->name, doc->args ? doc->args : "");
	fputs("usage: ", out);
	wrap(out, usage.data, 7, 15);
	fputc('\n', out);
	wrap(out, doc->brief, 0, 0);
	if (doc->also)
		fprintf(out, "also: sonde %s\n", doc->also);
	for (size_t t = 0; t < doc->n_tables; t++)
		help_table(out, doc, t, column);
	if (doc->n_examples)
		fputs("\nexamples:\n", out);
	for (size_t i = 0; i < doc->n_examples; i++) {
		fprintf(out, "  %s\n      ", doc->examples[i].command);
		wrap(out, doc->examples[i].does, 6, 6);
	}
}
