/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Option tables: one table gives parsing, --help, the man page and shell
 * completion. A table says what an option is; where its value goes is an offset
 * into the memory that the table is bound to (a settings struct or a BPF skeleton's .rodata).
 * getopt_long() does the scanning. Parsing is strict: numbers have no
 * trailing junk, are in range, and errors name the option and its value.
 */
#ifndef SONDE_OPT_H
#define SONDE_OPT_H

#include "base/base.h"
#include "base/str.h"

enum opt_type {
	OPT_BOOL,    /* bool; takes no argument */
	OPT_U32,     /* uint32_t; decimal or 0x; within [min, max], max 0 = the type's */
	OPT_U64,     /* uint64_t; as OPT_U32, also with k, M, G (powers of 1024) */
	OPT_SECONDS, /* uint64_t nanoseconds from seconds, fractions allowed, also 10us 10ms 5s 2m
		      * 1h 1d; never 0; within [min, max] nanoseconds */
	OPT_STRING,  /* const char *, pointing into argv; must not be empty */
	OPT_LIST,    /* struct opt_list: may be given several times; the owner frees its v */
	OPT_CHOICE,  /* int: index into .choices (NULL-terminated) */
	OPT_CALL,    /* what no type above covers: the argument (NULL where .arg is NULL) is handed
		      * to .call(dest, arg, err) */
};

/* For a shell that completes it: what an argument that begins with word may be. More may be offered than fits. */
typedef void (*opt_offer_fn)(const char *text, void *ctx);
typedef void (*opt_offers)(const char *word, opt_offer_fn fn, void *ctx);

struct opt_list {
	const char **v;
	size_t n, cap;
};

struct opt {
	enum opt_type type;
	char letter;	  /* short option or 0 */
	const char *name; /* long option, without dashes */
	const char *arg;  /* what its argument is called in the help, NULL for OPT_BOOL */
	const char *help; /* one line, no full stop */
	size_t offset;	  /* of the destination within the bound memory */
	uint64_t min, max;
	const char *const *choices;
	int (*call)(void *dest, const char *arg, struct err *err);
	opt_offers offers; /* may be NULL */
	bool optional_arg; /* --name or --name=ARG (OPT_STRING, OPT_CHOICE); else "" or 0 */
};

/*
 * OPT(OPT_U32, struct settings, top, 0, "top", "N", "print ...", .min = 1)
 * The sizes are checked: a member of another size than the type's is a compile error.
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

/* Options of a table that a tool cannot have: they are in no documentation, and refused with the reason. */
struct opt_lack {
	const char *names; /* "pid tid": long ones; NULL ends a list */
	const char *why;   /* "interrupts belong to no process" */
};

/* A table bound to the memory that its offsets count from. */
struct opt_table {
	const char *title; /* heading in the help: "filters", "output"; NULL for the tool's own */
	const struct opt *opts;
	size_t n;
	void *base;
	const char *letters;	      /* short options that replace the table's own: "t:tid u:uid"; may be NULL */
	const struct opt_lack *lacks; /* may be NULL */
};

/* The short option of option i, or 0. */
char opt_letter(const struct opt_table *table, size_t i);
/* Why option i cannot be had, or NULL: it can. */
const char *opt_lacks(const struct opt_table *table, size_t i);

#define OPT_NO_DASHDASH SIZE_MAX

/*
 * Parses argv[1..] against all tables. Options and other arguments may be mixed; "--" ends the
 * options.
 * Long options may be shortened as far as they stay unambiguous. Of two options with the same
 * name or letter the first counts: a tool's own table is given before the common ones.
 * args receives what is not an option (pointers into argv), dashdash the index
 * in args at which those after "--" begin, OPT_NO_DASHDASH where there is no "--".
 * Returns 0, or -EINVAL with err naming the option, its value and what is allowed
 * ("unknown option --pif (did you mean --pid?)"); args->v is the caller's to free either way.
 */
int opt_parse(int argc, char **argv, const struct opt_table *tables, size_t n_tables,
	      struct opt_list *args, size_t *dashdash, struct err *err);

/*
 * Strict numbers for whoever else parses them: the whole text, or -EINVAL where it is none and
 * -ERANGE where it is too large; the value is left alone then. opt_u64() takes decimal and 0x
 * without a unit; opt_seconds() what OPT_SECONDS takes, -EDOM for 0.
 */
int opt_u64(const char *text, uint64_t *value);
int opt_seconds(const char *text, uint64_t *ns);

#endif
