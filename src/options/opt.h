/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Option tables. One table gives parsing, --help, the man page and shell completion. A table describes options;
 * an option's value goes to an offset in the memory that the table is bound to (a settings struct or a BPF
 * skeleton's .rodata). getopt_long() scans the arguments. Parsing is strict: a number has no characters behind it
 * and is in range. Errors name the option and its value.
 */
#ifndef SONDE_OPTIONS_OPT_H
#define SONDE_OPTIONS_OPT_H

#include "base/base.h"
#include "base/str.h"

enum opt_type {
	OPT_BOOL,    /* bool; takes no argument */
	OPT_U32,     /* uint32_t; decimal or 0x; within [min, max]; max 0: no limit but the type's */
	OPT_U64,     /* uint64_t; as OPT_U32, also with k, M, G (powers of 1024) */
	OPT_SECONDS, /* uint64_t nanoseconds from seconds, fractions allowed, also 10us 10ms 5s 2m
		      * 1h 1d; never 0; within [min, max] nanoseconds */
	OPT_STRING,  /* const char *, points into argv; must not be empty */
	OPT_LIST,    /* struct opt_list: the option may be repeated; opt_release() frees v */
	OPT_CHOICE,  /* int: index into .choices, which ends with NULL */
	OPT_CALL,    /* what no type above covers: the argument (NULL where .arg is NULL) is handed
		      * to .call(dest, arg, err) */
};

/*
 * Names completions for an argument that begins with `word`, for a shell. Calls fn for each; it may offer some
 * that do not begin with word.
 */
typedef void (*opt_offer_fn)(const char *text, void *ctx);
typedef void (*opt_offers)(const char *word, opt_offer_fn fn, void *ctx);

struct opt_list {
	vec(const char *);
};

struct opt {
	enum opt_type type;
	char letter;	  /* the short option, or 0 */
	const char *name; /* the long option, without dashes */
	const char *also; /* another name of it, which the documentation omits; or NULL */
	const char *arg;  /* the name of its argument in the help, NULL for OPT_BOOL */
	const char *help; /* one line, no full stop */
	size_t offset;	  /* of the value within the bound memory */
	uint64_t min, max;
	const char *const *choices;
	int (*call)(void *dest, const char *arg, struct err *err);
	void (*release)(void *dest); /* frees what call() has allocated; may be NULL */
	opt_offers offers;	     /* may be NULL */
	bool optional_arg;	     /* --name or --name=ARG; without ARG the value is "", 0 or NULL */
	bool once;		     /* the user means both where he gives two: that is refused. Of others the last one counts */
};

/*
 * OPT(OPT_U32, struct settings, top, 0, "top", "N", "print ...", .min = 1)
 * Defines one option. A member whose size is not that of the option's type is a compile error.
 */
#define OPT(TYPE, STRUCT, MEMBER, LETTER, NAME, ARG, HELP, ...) \
	{ \
		.type = TYPE, .letter = LETTER, .name = NAME, .arg = ARG, .help = HELP, \
		.offset = offsetof(STRUCT, MEMBER) + OPT_CHECK(TYPE, STRUCT, MEMBER), \
		##__VA_ARGS__ \
	}
#define OPT_SIZE(TYPE) \
	((TYPE) == OPT_BOOL			      ? sizeof(bool) \
	 : (TYPE) == OPT_U32			      ? sizeof(uint32_t) \
	 : (TYPE) == OPT_U64 || (TYPE) == OPT_SECONDS ? sizeof(uint64_t) \
	 : (TYPE) == OPT_STRING			      ? sizeof(char *) \
	 : (TYPE) == OPT_LIST			      ? sizeof(struct opt_list) \
	 : (TYPE) == OPT_CHOICE			      ? sizeof(int) \
						      : 0)
#define OPT_CHECK(TYPE, STRUCT, MEMBER) \
	(0 * sizeof(char[(OPT_SIZE(TYPE) == 0 || \
			  OPT_SIZE(TYPE) == sizeof(((STRUCT *)0)->MEMBER)) \
				 ? 1 \
				 : -1]))

/*
 * Options of a table, or of a tool that this one replaces, that a tool cannot have. The documentation omits them.
 * Parsing refuses them with the reason.
 */
struct opt_lack {
	const char *names; /* long names, separated by blanks: "pid tid"; NULL ends a list */
	const char *why;   /* "interrupts belong to no process" */
};

/* A table, bound to the memory that its offsets refer to. */
struct opt_table {
	const char *title; /* heading in the help: "filters", "output"; NULL: the tool's own options */
	const struct opt *opts;
	size_t n;
	void *base;
	const char *letters;	      /* short options that replace the table's own: "t:tid u:uid"; or NULL */
	const struct opt_lack *lacks; /* may be NULL */
};

/* Returns the short option of option i, or 0. */
char opt_letter(const struct opt_table *table, size_t i);
/* Returns the reason why option i is refused, or NULL if it is not. */
const char *opt_lacks(const struct opt_table *table, size_t i);

#define OPT_NO_DASHDASH SIZE_MAX

/*
 * Parses argv[1..] with all tables. Options and other arguments can be mixed; "--" ends the options. Long options
 * may be abbreviated as long as they stay unambiguous. If two options share a name or letter, the first one wins:
 * pass a tool's own table before the common ones. args receives the arguments that are not options, as pointers
 * into argv. *dashdash is the index in args of the first argument after "--", OPT_NO_DASHDASH if there is no
 * "--".
 * Returns 0, or -EINVAL with an err that names the option, its value and what is allowed ("unknown option --pif
 * (did you mean --pid?)"). In both cases the caller frees args->v.
 */
int opt_parse(int argc, char **argv, const struct opt_table *tables, size_t n_tables,
	      struct opt_list *args, size_t *dashdash, struct err *err);

/* The same, but the first argument that is no option begins the command, as if "--" stood before it. */
int opt_parse_command(int argc, char **argv, const struct opt_table *tables, size_t n_tables,
		      struct opt_list *args, size_t *dashdash, struct err *err);

/* Frees what opt_parse() has allocated for the options of these tables. A table without a base has nothing. */
void opt_release(const struct opt_table *tables, size_t n_tables);

/*
 * Strict parsing of numbers for other code: the whole text must be one number. Returns 0; -EINVAL if it is no
 * number, -ERANGE if it is too large; *value is then unchanged. opt_u64() takes decimal and 0x without a unit.
 * opt_seconds() takes what OPT_SECONDS takes, and returns -EDOM for 0.
 */
int opt_u64(const char *text, uint64_t *value);
int opt_seconds(const char *text, uint64_t *ns);

#endif
