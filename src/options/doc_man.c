// SPDX-License-Identifier: BSD-2-Clause
/*
 * Writes man pages with the macros of man(7), for groff and mandoc alike. Knows the characters that are special
 * to roff. Breaks input lines after sentences, as is customary in the source of man pages.
 */
#include "doc_opt.h"

#define LINE_BYTES 72

/* Adds one byte of plain text so that the text shown can be copied into a shell. */
static void add_byte(struct str *s, char c)
{
	static const struct {
		char c;
		const char *roff;
	} special[] = {
		{ '\\', "\\e" },
		{ '-', "\\-" },
		{ '\'', "\\(aq" },
		{ '"', "\\(dq" },
		{ '`', "\\(ga" },
		{ '^', "\\(ha" },
		{ '~', "\\(ti" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(special); i++) {
		if (special[i].c == c) {
			str_add(s, special[i].roff);
			return;
		}
	}
	str_addc(s, c);
}

static void add_text(struct str *s, const char *text, size_t n)
{
	/* A '.' at the beginning of a line begins a request. So does a ', which is always escaped. */
	if (n && text[0] == '.')
		str_add(s, "\\&");
	for (size_t i = 0; i < n; i++)
		add_byte(s, text[i]);
}

/* Writes text between roff code. Not for a macro's arguments. */
static void put(FILE *out, const char *before, const char *text, const char *after)
{
	struct str s __str = {};

	str_add(&s, before);
	add_text(&s, text, strlen(text));
	fprintf(out, "%s%s", s.data, after);
}

/* False for "e.g." and "i.e.": a word with a full stop inside ends no sentence. */
static bool ends_sentence(const char *word, size_t len)
{
	return len && strchr(".!?", word[len - 1]) && !memchr(word, '.', len - 1);
}

/* Writes running text: a new line after each sentence, a new paragraph at each empty line. */
static void paragraphs(FILE *out, const char *text)
{
	size_t at = 0, len;
	bool ended = false; /* the word before ended a sentence */

	for (; *text; text += len) {
		struct str word __str = {};
		size_t breaks = 0;

		for (; *text == ' ' || *text == '\n'; text++)
			breaks += *text == '\n';
		len = strcspn(text, " \n");
		if (!len)
			break;
		add_text(&word, text, len);
		if (at && (breaks > 1 || ended || at + 1 + word.len > LINE_BYTES)) {
			fputs(breaks > 1 ? "\n.PP\n" : "\n", out);
			at = 0;
		}
		fprintf(out, "%s%s", at ? " " : "", word.data);
		at += word.len + !!at;
		ended = ends_sentence(text, len);
	}
	if (at)
		fputc('\n', out);
}

static void sentence(FILE *out, const char *text)
{
	struct str s __str = {};

	str_add(&s, text);
	if (s.len && !strchr(".!?", s.data[s.len - 1]))
		str_addc(&s, '.');
	if (s.len && s.data[0] >= 'a' && s.data[0] <= 'z')
		s.data[0] -= 'a' - 'A';
	paragraphs(out, s.data ? s.data : "");
}

static void title(FILE *out, const char *name, const char *version, const char *date)
{
	struct str upper __str = {};

	str_addf(&upper, "sonde%s%s", name ? "-" : "", name ? name : "");
	for (char *p = upper.data; *p; p++)
		if (*p >= 'a' && *p <= 'z')
			*p -= 'a' - 'A';
	put(out, ".TH ", upper.data, " 8 ");
	fprintf(out, "%s \"sonde ", date); /* an ISO date: its dashes stay as they are */
	put(out, "", version, "\" \"System Administration\"\n");
}

static void option(FILE *out, const struct doc_opt *o)
{
	const struct opt *opt = o->opt;
	bool optional = opt->optional_arg;
	struct str help __str = {};
	char letter[] = { '-', o->letter, '\0' };

	fputs(".TP\n", out);
	if (o->letter)
		put(out, "\\fB", letter, o->name ? "\\fR, " : "\\fR");
	if (o->name)
		put(out, "\\fB\\-\\-", o->name, "\\fR");
	if (doc_takes_argument(opt))
		put(out, optional ? o->name ? "[=\\fI" : "[\\fI" : " \\fI", opt->arg,
		    optional ? "\\fR]" : "\\fR");
	fputc('\n', out);
	doc_add_help(&help, opt);
	sentence(out, help.data);
}

static void options(FILE *out, const struct doc *doc)
{
	bool any = false;

	for (size_t t = 0; t < doc->n_tables; t++) {
		const char *heading = doc->tables[t].title;

		if (!doc_table_shown(doc, t))
			continue;
		if (!any)
			fputs(".SH OPTIONS\n", out);
		any = true;
		if (heading) {
			/* headings begin with a capital letter */
			fprintf(out, ".SS \"%c",
				heading[0] >= 'a' && heading[0] <= 'z' ? heading[0] - 32
								       : heading[0]);
			put(out, "", heading + 1, "\"\n");
		}
		for (size_t i = 0; i < doc->tables[t].n; i++) {
			struct doc_opt o;

			if (doc_opt(doc, t, i, &o))
				option(out, &o);
		}
	}
}

static void examples(FILE *out, const struct doc *doc)
{
	if (doc->n_examples)
		fputs(".SH EXAMPLES\n", out);
	for (size_t i = 0; i < doc->n_examples; i++) {
		fputs(".TP\n", out);
		put(out, "\\fB", doc->examples[i].command, "\\fR\n");
		sentence(out, doc->examples[i].does);
	}
}

/* Describes how a command is run, for tools that have the option --command. */
static void command(FILE *out, const struct doc *doc)
{
	bool runs = false;

	for (size_t t = 0; t < doc->n_tables; t++)
		for (size_t i = 0; i < doc->tables[t].n; i++)
			runs |= str_same(doc->tables[t].opts[i].name, "command");
	if (!runs)
		return;
	fputs(".SH COMMAND\n", out);
	paragraphs(out,
		   "sonde creates the command's process first, and the process executes the program when all probes "
		   "are armed. sonde traces the command and its descendants, and ends when the command ends. What the "
		   "command leaves running goes on and is no longer traced.\n\n"
		   "sonde passes SIGINT (Ctrl-C), SIGTERM, SIGHUP and SIGQUIT on once, to the command and to the "
		   "processes that it started, except those that have a process group of their own. At a terminal "
		   "these processes have received Ctrl-C already. Tracing goes on until the command has ended; then "
		   "sonde prints the results. A second signal kills the command and the processes that it started. "
		   "There are two exceptions. SIGHUP does not kill, because a terminal that is closed sends it several "
		   "times. A signal that another process sends within a second does not kill either, because "
		   "timeout(1) sends its signal twice.\n\n"
		   "When the time of --duration is over, sonde stops tracing and prints the results at once. It sends "
		   "SIGTERM to the command and waits for it; a signal to sonde then kills the command.\n\n"
		   "If sonde runs in the foreground of a terminal, so does the command: it can read from the terminal, "
		   "and Ctrl-Z stops both. Otherwise the command has a process group of its own. The command inherits "
		   "the limits, the descriptors and the ignored and blocked signals that sonde was started with.\n\n"
		   "When SIGKILL kills sonde, the kernel kills the command too, but not the processes that the command "
		   "started. It does not kill a command that has taken on another user's rights either (set-user-ID, "
		   "su, a server that gives up root), because the kernel then forgets that the command was to die with "
		   "sonde.");
}

static void exit_status(FILE *out)
{
	fputs(".SH EXIT STATUS\n"
	      ".TP\n0\nDone. A signal, the duration or the end of the command may have ended the run.\n"
	      "Before tracing starts, a signal kills sonde as it kills any program.\n"
	      ".TP\n1\nFailed; standard error says why.\n"
	      ".TP\n2\nWrong usage.\n",
	      out);
}

void doc_man(FILE *out, const struct doc *doc, const char *version, const char *date)
{
	title(out, doc->name, version, date);
	put(out, ".SH NAME\nsonde\\-", doc->name, " \\- ");
	put(out, "", doc->brief, "\n");
	put(out, ".SH SYNOPSIS\n\\fBsonde ", doc->name, "\\fR [\\fIoptions\\fR]");
	if (doc->args && *doc->args)
		put(out, " \\fI", doc->args, "\\fR");
	fputs("\n.SH DESCRIPTION\n", out);
	if (doc->description && *doc->description)
		paragraphs(out, doc->description);
	else
		sentence(out, doc->brief);
	options(out, doc);
	command(out, doc);
	examples(out, doc);
	exit_status(out);
	fputs(".SH SEE ALSO\n.BR sonde (8)\n", out);
}

static void see_also(FILE *out, const struct doc *docs, size_t n)
{
	fputs(".SH SEE ALSO\n", out);
	for (size_t i = 0; i < n; i++)
		put(out, ".BR sonde\\-", docs[i].name, " (8),\n");
	fputs(".BR bpftrace (8),\n.BR perf (1)\n", out);
}

static void tools_of(FILE *out, enum group group, const struct doc *docs, size_t n)
{
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		if (docs[i].group != group)
			continue;
		if (!any)
			fprintf(out, ".SS \"%c%s\"\n", group_titles[group][0] - 32, group_titles[group] + 1);
		any = true;
		fputs(".TP\n", out);
		put(out, "\\fB", docs[i].name, "\\fR\n");
		sentence(out, docs[i].brief);
	}
}

void doc_man_main(FILE *out, const struct doc *docs, size_t n, const char *version,
		  const char *date)
{
	title(out, NULL, version, date);
	fputs(".SH NAME\nsonde \\- trace a running Linux system\n"
	      ".SH SYNOPSIS\n\\fBsonde\\fR \\fITOOL\\fR [\\fIoptions\\fR] [\\fIarguments\\fR]\n"
	      ".SH DESCRIPTION\n",
	      out);
	paragraphs(out,
		   "sonde counts, measures and streams what a running system does, with eBPF, and leaves nothing "
		   "behind. Each tool has a page of its own; sonde TOOL --help is its short form.\n\n"
		   "A link to sonde that is named after a tool runs that tool.\n\n"
		   "Results go to standard output, everything else to standard error. If something was lost or could "
		   "not be attached, each summary ends with a report of it.");
	fputs(".SH TOOLS\n", out);
	for (enum group g = GROUP_SLOW; g < GROUPS; g++)
		tools_of(out, g, docs, n);
	exit_status(out);
	see_also(out, docs, n);
}
