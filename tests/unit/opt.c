// SPDX-License-Identifier: BSD-2-Clause
/* Parses argv by option tables: the values of each type, and the text of each error. */
#include <criterion/criterion.h>

#include "options/opt.h"

struct settings {
	uint32_t pid, top;
	uint64_t size, interval;
	const char *comm, *color, *only;
	struct opt_list names;
	int sort, when;
	bool json, verbose;
	char called[16];
};

static int call(void *dest, const char *arg, struct err *err)
{
	if (arg && !strcmp(arg, "bad"))
		return err_at(err, 1, "'%s' is no good", arg);
	if (arg && !strcmp(arg, "silent"))
		return -ENOENT;
	snprintf(dest, sizeof(((struct settings *)0)->called), "%s", arg ? arg : "(none)");
	return 0;
}

static const char *const keys[] = { "count", "name", "time", NULL };

static const struct opt own[] = {
	OPT(OPT_U32, struct settings, top, 't', "top", "N", "rows", .min = 1, .max = 100),
	OPT(OPT_CHOICE, struct settings, sort, 's', "sort", "KEY", "order", .choices = keys),
	OPT(OPT_CHOICE, struct settings, when, 0, "when", "KEY", "order", .choices = keys,
	    .optional_arg = true),
	OPT(OPT_CALL, struct settings, called, 0, "call", "X", "calls", .call = call),
	OPT(OPT_CALL, struct settings, called, 0, "call-nothing", NULL, "calls", .call = call),
	OPT(OPT_BOOL, struct settings, verbose, 'j', NULL, NULL, "has the letter of --json"),
};
static const struct opt common[] = {
	OPT(OPT_U32, struct settings, pid, 'p', "pid", "PID", "process"),
	OPT(OPT_U64, struct settings, size, 'm', "size", "BYTES", "memory"),
	OPT(OPT_SECONDS, struct settings, interval, 'i', "interval", "SECONDS", "interval",
	    .min = 1000000, .max = 86400000000000),
	OPT(OPT_STRING, struct settings, comm, 0, "comm", "COMM", "name"),
	OPT(OPT_STRING, struct settings, color, 'C', "color", "WHEN", "colour",
	    .optional_arg = true),
	OPT(OPT_LIST, struct settings, names, 'n', "name", "NAME", "names"),
	OPT(OPT_BOOL, struct settings, json, 'j', "json", NULL, "JSON"),
	OPT(OPT_BOOL, struct settings, verbose, 'v', "verbose", NULL, "more"),
	OPT(OPT_U32, struct settings, pid, 0, "top", "N", "has the name of an own option"),
	OPT(OPT_STRING, struct settings, only, 'o', "only", "NAME", "one name", .once = true),
};

struct run {
	struct settings settings;
	struct opt_list args;
	size_t dashdash;
	struct err err;
	char *line, *argv[32];
	int rc;
};

static void run_release(struct run *run)
{
	free(run->settings.names.v);
	free(run->args.v);
	free(run->line);
}

/* Parses a line split at blanks; "''" is an empty word. */
static void parse(struct run *run, const char *line)
{
	struct opt_table tables[] = {
		{ NULL, own, ARRAY_SIZE(own), &run->settings },
		{ "common", common, ARRAY_SIZE(common), &run->settings },
	};
	int argc = 1;

	*run = (struct run){ .line = base_strdup(line), .argv = { "tool" } };
	run->settings.sort = run->settings.when = -1;
	for (char *word = strtok(run->line, " "); word; word = strtok(NULL, " "))
		run->argv[argc++] = strcmp(word, "''") ? word : "";
	run->rc = opt_parse(argc, run->argv, tables, 2, &run->args, &run->dashdash, &run->err);
}

Test(opt, every_type)
{
	struct run run __cleanup(run_release) = {};
	struct settings *s = &run.settings;

	parse(&run, "-p 12 --top=7 -m4k --interval 0.5 --comm bash --sort name -n a --name b -v "
		    "--call x");
	cr_assert_eq(run.rc, 0, "%s", run.err.text);
	cr_expect_eq(s->pid, 12);
	cr_expect_eq(s->top, 7);
	cr_expect_eq(s->size, 4096);
	cr_expect_eq(s->interval, 500000000);
	cr_expect_str_eq(s->comm, "bash");
	cr_expect_eq(s->sort, 1);
	cr_assert_eq(s->names.n, 2);
	cr_expect_str_eq(s->names.v[0], "a");
	cr_expect_str_eq(s->names.v[1], "b");
	cr_expect(s->verbose && !s->json);
	cr_expect_str_eq(s->called, "x");
	cr_expect_eq(run.args.n, 0);
}

Test(opt, an_earlier_table_keeps_its_letter)
{
	struct run run __cleanup(run_release) = {};
	struct run other __cleanup(run_release) = {};

	parse(&run, "-j");
	cr_expect(run.settings.verbose && !run.settings.json);
	parse(&other, "--json");
	cr_expect(!other.settings.verbose && other.settings.json);
}

/* A tool may reassign letters of common options: here "pid" loses -p, and "comm" gets a letter. */
Test(opt, letters_of_a_tool)
{
	struct run run __cleanup(run_release) = {};
	const struct opt_table table = { NULL, common, ARRAY_SIZE(common), &run.settings, "k:comm P:pid q:names" };
	char *argv[] = { "tool", "-P", "12", "-k", "x", "-j", "-n", "y", NULL }, *old[] = { "tool", "-p", "12", NULL };

	cr_expect_eq(opt_letter(&table, 0), 'P');
	cr_expect_eq(opt_letter(&table, 3), 'k');
	cr_expect_eq(opt_letter(&table, 5), 'n', "q is for names, not for name");
	cr_expect_eq(opt_letter(&table, 8), 0);
	cr_assert_eq(opt_parse(8, argv, &table, 1, &run.args, &run.dashdash, &run.err), 0, "%s", run.err.text);
	cr_expect_eq(run.settings.pid, 12);
	cr_expect_str_eq(run.settings.comm, "x");
	cr_expect_eq(run.settings.names.n, 1);
	cr_expect(run.settings.json);
	cr_expect_eq(opt_parse(3, old, &table, 1, &run.args, &run.dashdash, &run.err), -EINVAL);
	cr_expect_str_eq(run.err.text, "unknown option -p");
}

/* An option that a tool lacks is refused with the reason, by both its names, and never suggested. */
Test(opt, what_a_tool_lacks)
{
	static const struct opt_lack lacks[] = { { "pid comm", "nobody's" }, { "json emit", "no data" }, {} };
	struct run run __cleanup(run_release) = {};
	const struct opt_table table = { NULL, common, ARRAY_SIZE(common), &run.settings, "k:comm", lacks };
	static const struct {
		const char *word, *text;
	} cases[] = {
		{ "-p1", "this tool has no option -p: nobody's" },
		{ "--pid=1", "this tool has no option --pid: nobody's" },
		{ "--pi=x", "this tool has no option --pid: nobody's" },
		{ "-kx", "this tool has no option -k: nobody's" },
		{ "-j", "this tool has no option -j: no data" },
		{ "--emit", "this tool has no option --emit: no data" },
		{ "--emit=x", "this tool has no option --emit: no data" },
		{ "--pif", "unknown option --pif" },
	};

	cr_expect_str_eq(opt_lacks(&table, 0), "nobody's");
	cr_expect_null(opt_lacks(&table, 1));
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		__free char *word = base_strdup(cases[i].word);
		char *argv[] = { "tool", word, NULL };

		cr_expect_eq(opt_parse(2, argv, &table, 1, &run.args, &run.dashdash, &run.err), -EINVAL);
		cr_expect_str_eq(run.err.text, cases[i].text);
	}
	cr_expect_eq(run.settings.pid, 0);
}

/* A letter that a tool gives to a name belongs to that name only, not to longer or shorter ones. */
Test(opt, letters_are_for_whole_names)
{
	static const struct opt opts[] = {
		OPT(OPT_U32, struct settings, pid, 'p', "pid", "PID", "process"),
		OPT(OPT_U32, struct settings, top, 0, "pidns", "N", "namespace"),
		OPT(OPT_BOOL, struct settings, json, 'j', NULL, NULL, "has no name"),
	};
	struct opt_table table = { NULL, opts, ARRAY_SIZE(opts), NULL, "n:pidns" };

	cr_expect_eq(opt_letter(&table, 0), 'p');
	cr_expect_eq(opt_letter(&table, 1), 'n');
	cr_expect_eq(opt_letter(&table, 2), 'j');
	table.letters = "x:pid y:pi";
	cr_expect_eq(opt_letter(&table, 0), 'x');
	cr_expect_eq(opt_letter(&table, 1), 0);
	table.letters = NULL;
	cr_expect_eq(opt_letter(&table, 0), 'p');
}

Test(opt, optional_arguments)
{
	static const struct {
		const char *line, *color;
		int when;
	} cases[] = {
		{ "--color --when", "", 0 },
		{ "--color=never --when=time", "never", 2 },
		{ "-Calways", "always", -1 },
		{ "-C always", "", -1 },
		{ "x", NULL, -1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct run run __cleanup(run_release) = {};

		parse(&run, cases[i].line);
		cr_assert_eq(run.rc, 0, "%s", run.err.text);
		cr_expect_eq(run.settings.when, cases[i].when, "%s", cases[i].line);
		if (cases[i].color)
			cr_expect_str_eq(run.settings.color, cases[i].color);
		else
			cr_expect_null(run.settings.color);
	}
}

Test(opt, arguments_and_the_double_dash)
{
	static const struct {
		const char *line, *args;
		size_t dashdash;
	} cases[] = {
		{ "", "", OPT_NO_DASHDASH },
		{ "a -v b --pid 3 c", "a b c ", OPT_NO_DASHDASH },
		{ "--", "", 0 },
		{ "-v --pid 3 --", "", 0 },
		{ "a --comm --", "a ", OPT_NO_DASHDASH },
		{ "a -v -- ls -l", "a ls -l ", 1 },
		{ "-- -v", "-v ", 0 },
		{ "a --", "a ", 1 },
		{ "a -- b -- c", "a b -- c ", 1 },
		{ "--comm -- a -- b", "a b ", 1 }, /* the first one is an argument */
		{ "a -", "a - ", OPT_NO_DASHDASH },
		{ "-vp 3 x", "x ", OPT_NO_DASHDASH },
		{ "-vp 3", "", OPT_NO_DASHDASH },
	};

	setenv("POSIXLY_CORRECT", "1", 1); /* must make no difference */
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct run run __cleanup(run_release) = {};
		struct str args __str = {};

		parse(&run, cases[i].line);
		cr_assert_eq(run.rc, 0, "%s: %s", cases[i].line, run.err.text);
		str_add(&args, "");
		vec_each(arg, &run.args)
			str_addf(&args, "%s ", *arg);
		cr_expect_str_eq(args.data, cases[i].args, "'%s': %s", cases[i].line, args.data);
		cr_expect_eq(run.dashdash, cases[i].dashdash, "'%s': %zu", cases[i].line,
			     run.dashdash);
	}
}

Test(opt, abbreviations)
{
	struct run run __cleanup(run_release) = {};

	parse(&run, "--inter 2 --verb --call y --to 3");
	cr_assert_eq(run.rc, 0, "%s", run.err.text);
	cr_expect_eq(run.settings.interval, 2000000000);
	cr_expect(run.settings.verbose);
	cr_expect(run.settings.top == 3 && !run.settings.pid, "the first of one name counts");
	cr_expect_str_eq(run.settings.called, "y", "a whole name is no abbreviation");
}

Test(opt, refusals)
{
	static const struct {
		const char *line, *says;
	} cases[] = {
		{ "--pif 3", "unknown option --pif (did you mean --pid?)" },
		{ "--pif=3", "unknown option --pif (did you mean --pid?)" },
		{ "--zzzzzz", "unknown option --zzzzzz" },
		{ "-x", "unknown option -x" },
		{ "-vx", "unknown option -x" },
		{ "--co x", "option --co is ambiguous: --comm or --color" },
		{ "--pid", "option --pid needs an argument (PID)" },
		{ "-v -p", "option -p needs an argument (PID)" },
		{ "--json=1", "option --json takes no argument" },
		{ "--call-nothing=1", "option --call-nothing takes no argument" },
		{ "-p x", "option -p: 'x' is not a number" },
		{ "-o a --only b", "option --only: given twice, but only one NAME is possible" },
		{ "--pid 12x", "option --pid: '12x' is not a number" },
		{ "--pid -1", "option --pid: '-1' is not a number" },
		{ "--pid +1", "option --pid: '+1' is not a number" },
		{ "--pid ''", "option --pid: '' is not a number" },
		{ "--pid 1k", "option --pid: '1k' is not a number" },
		{ "--pid 4294967296",
		  "option --pid: 4294967296 is out of range (0 to 4294967295)" },
		{ "--top 0", "option --top: 0 is out of range (1 to 100)" },
		{ "--top 101", "option --top: 101 is out of range (1 to 100)" },
		{ "-m 4q", "option -m: '4q' is not a number (units: k, M, G)" },
		{ "-m 4kk", "option -m: '4kk' is not a number (units: k, M, G)" },
		{ "-m 17179869184G", "option -m: 17179869184G is out of range" },
		{ "-i x", "option -i: 'x' is not a time (seconds, or as in 10ms, 5s, 2m, 1h, 1d)" },
		{ "-i 0", "option -i: '0' is too short: the time must be more than 0" },
		{ "-i 2d", "option -i: '2d' is too long" },
		{ "-i 999999999999d", "option -i: '999999999999d' is too long" },
		{ "-i 10us", "option -i: '10us' is too short" },
		{ "--comm ''", "option --comm: its argument (COMM) must not be empty" },
		{ "--name ''", "option --name: its argument (NAME) must not be empty" },
		{ "--color=", "option --color: its argument (WHEN) must not be empty" },
		{ "--sort nmae",
		  "option --sort: 'nmae' is not one of count, name, time (did you mean name?)" },
		{ "--sort zzz", "option --sort: 'zzz' is not one of count, name, time" },
		{ "--sort ''", "option --sort: '' is not one of count, name, time" },
		{ "--call bad", "option --call 'bad': 'bad' is no good" },
		{ "--call silent", "option --call 'silent': No such file or directory" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct run run __cleanup(run_release) = {};

		parse(&run, cases[i].line);
		cr_assert_eq(run.rc, -EINVAL, "%s is accepted", cases[i].line);
		cr_expect_eq(run.err.code, -EINVAL);
		cr_expect_eq(run.err.at, -1, "there is no one text to point into");
		cr_expect_eq(strncmp(run.err.text, cases[i].says, strlen(cases[i].says)), 0,
			     "%s: %s", cases[i].line, run.err.text);
	}
}

Test(opt, a_call_without_argument)
{
	struct run run __cleanup(run_release) = {};

	parse(&run, "--call-nothing x");
	cr_expect_eq(run.rc, 0);
	cr_expect_str_eq(run.settings.called, "(none)");
	cr_expect_eq(run.args.n, 1);
}

Test(opt, numbers)
{
	static const struct {
		const char *text;
		int rc;
		uint64_t value;
	} cases[] = {
		{ "0", 0, 0 },
		{ "18446744073709551615", 0, UINT64_MAX },
		{ "0xfF", 0, 255 },
		{ "010", 0, 10 },
		{ "", -EINVAL },
		{ "0x", -EINVAL },
		{ "1 ", -EINVAL },
		{ " 1", -EINVAL },
		{ "-1", -EINVAL },
		{ "1k", -EINVAL },
		{ "1.0", -EINVAL },
		{ "18446744073709551616", -ERANGE },
		{ "0x10000000000000000", -ERANGE },
		{ "99999999999999999999999z", -EINVAL },
		{ "f", -EINVAL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t value = 77;

		cr_expect_eq(opt_u64(cases[i].text, &value), cases[i].rc, "'%s'", cases[i].text);
		cr_expect_eq(value, cases[i].rc ? 77 : cases[i].value, "'%s'", cases[i].text);
	}
}

Test(opt, seconds)
{
	static const struct {
		const char *text;
		int rc;
		uint64_t ns;
	} cases[] = {
		{ "1", 0, 1000000000 },
		{ "0.1", 0, 100000000 },
		{ ".5", 0, 500000000 },
		{ "1.000000001", 0, 1000000001 },
		{ "0.3s", 0, 300000000 },
		{ "10ms", 0, 10000000 },
		{ "1.5us", 0, 1500 },
		{ "2m", 0, 120000000000 },
		{ "1h", 0, 3600000000000 },
		{ "1.5d", 0, 129600000000000 },
		{ "0.12345678901234567890", 0, 123456789 },
		{ "18446744073.709551615", 0, UINT64_MAX },
		{ "18446744073.709551616", -ERANGE },
		{ "213504d", -ERANGE },
		{ "99999999999999999999", -ERANGE },
		{ "0", -EDOM },
		{ "0.0000000001", -EDOM },
		{ "0.0ms", -EDOM },
		{ "", -EINVAL },
		{ "s", -EINVAL },
		{ "1.", -EINVAL },
		{ ".", -EINVAL },
		{ "1..5", -EINVAL },
		{ "-1", -EINVAL },
		{ "1 s", -EINVAL },
		{ "1S", -EINVAL },
		{ "1sec", -EINVAL },
		{ "0x1", -EINVAL },
		{ "1e3", -EINVAL },
		{ "inf", -EINVAL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t ns = 77;

		cr_expect_eq(opt_seconds(cases[i].text, &ns), cases[i].rc, "'%s'", cases[i].text);
		cr_expect_eq(ns, cases[i].rc ? 77 : cases[i].ns, "'%s': %lu", cases[i].text, ns);
	}
}

/* bcc spells some long options with '_'; a script's own option may be spelled so, too. */
Test(opt, underscores)
{
	struct run run __cleanup(run_release) = {}, wrong __cleanup(run_release) = {};

	parse(&run, "--call_nothing --comm=a_b -- --call_nothing");
	cr_assert_eq(run.rc, 0, "%s", run.err.text);
	cr_expect_str_eq(run.settings.called, "(none)");
	cr_expect_str_eq(run.settings.comm, "a_b");
	cr_assert_eq(run.args.n, 1);
	cr_expect_str_eq(run.args.v[0], "--call_nothing");
	parse(&wrong, "--call_something");
	cr_expect_eq(wrong.rc, -EINVAL);
	cr_expect(strstr(wrong.err.text, "--call_something"));
}
