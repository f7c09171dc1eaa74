/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of bcc's notation (bcc*.c) share. */
#ifndef SONDE_LANG_BCC_BCC_PART_H
#define SONDE_LANG_BCC_BCC_PART_H

#include "bcc.h"

#define BCC_MAX_PARAMS 6 /* that are in registers */
#define BCC_MAX_VALUES 16

/* A parameter of a function, as its signature has it: "const char __user *name". */
struct bcc_param {
	struct span type, name; /* name: empty if there is none */
	bool is_array;		/* "char name[]": a pointer */
	bool is_user;
};

/* A probe, taken apart. What is not there is an empty place. */
struct bcc_spec {
	struct span all;
	char kind;	 /* p, r, t, u */
	bool is_syscall; /* the function is a system call's: its only argument is the caller's registers */
	struct span library, function, filter, format, label;
	struct bcc_param params[BCC_MAX_PARAMS];
	size_t n_params;
	struct span types[BCC_MAX_VALUES], values[BCC_MAX_VALUES]; /* argdist: as many; trace: only values */
	size_t n_types, n_values;
};

/* Text of the program from `at` on comes from this place of the user's text. */
struct bcc_piece {
	uint32_t at;
	struct span from;
	bool is_copy; /* byte by byte */
};

struct bcc {
	struct lang_program *program;
	const struct bcc_request *request;
	const char *source; /* the text of the probe at hand */
	struct bcc_spec spec;
	size_t number;		       /* of the probe */
	bool has_latency, has_entries; /* $latency or $entry() was met */
	struct str text;	       /* the program */
	vec(struct bcc_piece) pieces;
	uint32_t in_compare; /* the second argument of STRCMP is read */
	bool failed;	     /* an error was reported about the probe at hand */
};

/* How the functions of system calls begin; bcc's notation has "sys_" and "SyS_" too. */
#ifdef __aarch64__
#define BCC_SYSCALL "__arm64_sys_"
#else
#define BCC_SYSCALL "__x64_sys_"
#endif

static inline bool bcc_has_prefix(const struct bcc *b, struct span at, const char *prefix)
{
	return at.end - at.begin > strlen(prefix) && !memcmp(b->source + at.begin, prefix, strlen(prefix));
}

static inline bool bcc_is_empty(const struct span *at)
{
	return at->begin == at->end;
}

/* Reports an error about the probe at hand; only the first one. */
void bcc_fail(struct bcc *b, struct span at, const char *fmt, ...) __printf(3, 4);
/* Append text of our own that stands for `from`, and text of the user. */
void bcc_add(struct bcc *b, struct span from, const char *fmt, ...) __printf(3, 4);
void bcc_copy(struct bcc *b, struct span from);

/* --- bcc_spec.c --- */
/* The place of the first byte of `stops` outside of quotes and parentheses; at.end if there is none. */
uint32_t bcc_find(const struct bcc *b, struct span at, const char *stops);
struct span bcc_trim(const struct bcc *b, struct span at);
/* Behind the string or character in quotes that begins at pos; the end if it is not closed. */
uint32_t bcc_skip_quoted(const struct bcc *b, uint32_t pos, uint32_t end);
/* Take b->source apart into b->spec. False: it is wrong, which was reported. */
bool bcc_parse_argdist(struct bcc *b);
bool bcc_parse_trace(struct bcc *b);

/* --- bcc_expression.c --- */
#define BCC_ARGUMENT_LEN 64
/* The words of the language for the function's argument n, counted from 0. */
void bcc_write_argument(const struct bcc_spec *spec, size_t n, char to[static BCC_ARGUMENT_LEN]);
/* Appends an expression of C in the words of the language, in parentheses. */
void bcc_add_expression(struct bcc *b, struct span at);

#endif
