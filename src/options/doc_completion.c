// SPDX-License-Identifier: BSD-2-Clause
/*
 * Writes the bash completion script: the options and arguments of each tool, and one function that looks them up.
 * Requires bash 4, but not the bash-completion package.
 */
#include <ctype.h>

#include "doc_opt.h"

/*
 * Writes a word into single quotes that compgen -W expands once more: each character that could be special to a
 * shell gets a backslash for that second reading.
 */
static void put_word(FILE *out, const char *word)
{
	for (; *word; word++) {
		if (*word == '\'') {
			fputs("\\'\\''", out);
			continue;
		}
		if (!isalnum((unsigned char)*word) && !strchr("_-./,:+=@%", *word))
			fputc('\\', out);
		fputc(*word, out);
	}
}

/* Returns what may follow an option. The name of its argument decides. */
static const char *kind_of(const struct opt *opt)
{
	static const struct {
		const char *arg, *kind;
	} kinds[] = {
		{ "FILE", "file" },
		{ "PATH", "file" },
		{ "BIN", "file" },
		{ "CGROUP", "file" },
		{ "DIR", "directory" },
		{ "CMD", "command" },
		{ "COMMAND", "command" },
		{ "USER", "user" },
	};

	if (opt->type == OPT_CHOICE)
		return "words";
	if (opt->offers)
		return "asked";
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(opt->arg, kinds[i].arg))
			return kinds[i].kind;
	return "none";
}

/* Writes "-s|--sort|--sort=)". If the argument is optional, only what follows a '=' belongs to the option. */
static void put_case(FILE *out, const struct doc *doc, const struct doc_opt *o)
{
	const char *between = "";

	fputs("\t\t", out);
	if (o->letter && !o->opt->optional_arg) {
		fprintf(out, "-%c", o->letter);
		between = "|";
	}
	if (o->name && !o->opt->optional_arg) {
		fprintf(out, "%s--%s", between, o->name);
		between = "|";
	}
	if (o->name)
		fprintf(out, "%s--%s=", between, o->name);
	fprintf(out, ") kind='%s'", kind_of(o->opt));
	if (o->opt->type == OPT_CHOICE) {
		fputs(" words='", out);
		for (size_t i = 0; o->opt->choices[i]; i++) {
			fputs(i ? " " : "", out);
			put_word(out, o->opt->choices[i]);
		}
		fputc('\'', out);
	} else if (o->opt->offers) {
		fprintf(out, " asked='%s --%s'", doc->name, o->name);
	}
	fputs(" ;;\n", out);
}

static void put_tool(FILE *out, const struct doc *doc)
{
	struct doc_opt o;
	bool any = false;

	fprintf(out, "\t%s%s%s)\n\t\toptions='", doc->name, doc->also ? "|" : "", doc->also ? doc->also : "");
	for (size_t t = 0; t < doc->n_tables; t++) {
		for (size_t i = 0; i < doc->tables[t].n; i++) {
			if (!doc_opt(doc, t, i, &o))
				continue;
			if (o.letter)
				fprintf(out, "%s-%c", any ? " " : "", o.letter);
			if (o.name)
				fprintf(out, "%s--%s", any || o.letter ? " " : "", o.name);
			any = true;
		}
	}
	fputs("'\n", out);
	if (doc->offers_args)
		fprintf(out, "\t\tkind='probes' asked='%s'\n", doc->name);
	fputs("\t\tcase $2 in\n", out);
	for (size_t t = 0; t < doc->n_tables; t++)
		for (size_t i = 0; i < doc->tables[t].n; i++)
			if (doc_opt(doc, t, i, &o) && doc_takes_argument(o.opt) &&
			    (o.name || !o.opt->optional_arg))
				put_case(out, doc, &o);
	fputs("\t\tesac\n\t\t;;\n", out);
}

static void put_names(FILE *out, const struct doc *docs, size_t n, bool linked)
{
	const char *between = "";

	for (size_t i = 0; i < n; i++) {
		if (linked && docs[i].unlinked)
			continue;
		fprintf(out, "%s%s", between, docs[i].name);
		between = " ";
	}
}

/* bash splits the line at '=' and ':' as well as at blanks. */
static const char lookup[] =
	"# What sonde says that it may be.\n"
	"_sonde_ask()\n"
	"{\n"
	"\tlocal sonde=sonde\n"
	"\t[[ ${COMP_WORDS[0]} != */* ]] || sonde=${COMP_WORDS[0]%/*}/sonde\n"
	"\t\"$sonde\" help --complete \"$@\" 2>/dev/null\n"
	"}\n"
	"\n"
	"_sonde()\n"
	"{\n"
	"\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
	"\tlocal tool=${COMP_WORDS[0]##*/} first=1 i options='' kind='arguments' words='' asked='' word before\n"
	"\n"
	"\tCOMPREPLY=()\n"
	"\tif [[ $tool == sonde ]]; then\n"
	"\t\tif ((COMP_CWORD == 1)); then\n"
	"\t\t\tmapfile -t COMPREPLY < <(compgen -W \"$_sonde_tools help version --help --version\" -- "
	"\"$cur\")\n"
	"\t\t\treturn\n"
	"\t\tfi\n"
	"\t\tif [[ ${COMP_WORDS[1]} == help || ${COMP_WORDS[1]} == version ]]; then\n"
	"\t\t\t[[ ${COMP_WORDS[1]} == version ]] || ((COMP_CWORD > 2)) ||\n"
	"\t\t\t\tmapfile -t COMPREPLY < <(compgen -W \"$_sonde_tools\" -- \"$cur\")\n"
	"\t\t\treturn\n"
	"\t\tfi\n"
	"\t\ttool=${COMP_WORDS[1]} first=2\n"
	"\tfi\n"
	"\tfor ((i = first; i < COMP_CWORD; i++)); do\n"
	"\t\t[[ ${COMP_WORDS[i]} == -- ]] || continue\n"
	"\t\tkind='file'\n"
	"\t\t((i == COMP_CWORD - 1)) && kind='command'\n"
	"\t\tbreak\n"
	"\tdone\n"
	"\tif [[ $kind == arguments ]]; then\n"
	"\t\tif [[ $cur == '=' ]]; then\n"
	"\t\t\tprev=$prev= cur=''\n"
	"\t\telif [[ $prev == '=' ]] && ((COMP_CWORD > 1)); then\n"
	"\t\t\tprev=${COMP_WORDS[COMP_CWORD-2]}=\n"
	"\t\tfi\n"
	"\t\t_sonde_tool \"$tool\" \"$prev\"\n"
	"\t\tif [[ $kind == @(arguments|probes) && $cur == -* ]]; then\n"
	"\t\t\tkind='words' words=$options\n"
	"\t\tfi\n"
	"\tfi\n"
	"\tcase $kind in\n"
	"\twords) mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\") ;;\n"
	"\tasked) mapfile -t COMPREPLY < <(_sonde_ask $asked \"$cur\") ;;\n"
	"\tprobes)\n"
	"\t\tword=${COMP_LINE:0:COMP_POINT}\n"
	"\t\tword=${word##*[[:blank:]]} word=${word#[\\'\\\"]}\n"
	"\t\tcur=${cur#[\\'\\\"]}\n"
	"\t\t[[ $cur != : ]] || cur=''\n"
	"\t\tbefore=${word%\"$cur\"}\n"
	"\t\tmapfile -t COMPREPLY < <(_sonde_ask $asked \"$word\"; compgen -f -P \"$before\" -- \"$cur\")\n"
	"\t\tCOMPREPLY=(\"${COMPREPLY[@]#\"$before\"}\")\n"
	"\t\t[[ $cur != */* ]] || compopt -o filenames -o nospace 2>/dev/null\n"
	"\t\t[[ ${#COMPREPLY[@]} != 1 || $COMPREPLY != *: ]] || compopt -o nospace 2>/dev/null\n"
	"\t\t;;\n"
	"\tcommand) mapfile -t COMPREPLY < <(compgen -c -- \"$cur\") ;;\n"
	"\tuser) mapfile -t COMPREPLY < <(compgen -u -- \"$cur\") ;;\n"
	"\tdirectory) mapfile -t COMPREPLY < <(compgen -d -- \"$cur\") ;;\n"
	"\tfile|arguments) mapfile -t COMPREPLY < <(compgen -f -- \"$cur\") ;;\n"
	"\tesac\n"
	"\tcase $kind in\n"
	"\tdirectory|file|arguments) compopt -o filenames 2>/dev/null ;;\n"
	"\tesac\n"
	"}\n";

void doc_completion(FILE *out, const struct doc *docs, size_t n)
{
	fputs("# bash completion for sonde\n\n_sonde_tools='", out);
	put_names(out, docs, n, false);
	fputs("'\n\n"
	      "# $1: tool, $2: the word before, with its '=' where there is one.\n"
	      "# Sets options, kind, words and asked of _sonde.\n"
	      "_sonde_tool()\n{\n\tcase $1 in\n",
	      out);
	for (size_t i = 0; i < n; i++)
		put_tool(out, &docs[i]);
	fprintf(out, "\tesac\n}\n\n%scomplete -F _sonde sonde ", lookup);
	put_names(out, docs, n, true);
	fputc('\n', out);
}
