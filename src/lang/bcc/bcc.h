/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Probes in the notation of bcc's argdist and trace (their manual pages describe it):
 *
 *	r::vfs_read():int:$retval:$latency > 1000#slow reads		argdist
 *	r:c:read ((int)retval < 0) "failed: %d", retval			trace
 *
 * Each becomes one or two probes of a program in the language, which goes the way of every program. Messages of all
 * stages are about the text that the user typed.
 */
#ifndef SONDE_LANG_BCC_BCC_H
#define SONDE_LANG_BCC_BCC_H

#include "lang/lang.h"

struct bcc_probe {
	const char *text; /* as the user typed it */
	bool is_hist;	  /* argdist: a histogram of the values, not a count of each */
	/* The rest is the compiler's. The program owns the texts. */
	bool has_format;   /* trace: there is a message */
	const char *label; /* argdist: what the table is called: what is behind '#', or the whole text */
	const char *title; /* argdist: the heading of a histogram's values: what is behind '#', or the expression */
	const char *map;   /* argdist: the name of the map that holds it */
	/*
	 * argdist: the expressions as they were typed, but "$entry(x)" is "x", as bcc has it; they are the keys of the
	 * map, or what the histogram is of.
	 */
	const char **values;
	size_t n_values;
};

struct bcc_request {
	struct bcc_probe *probes;
	size_t n;
	bool traces;	      /* the probes are trace's, else argdist's */
	uint32_t string_size; /* the most bytes of a text; 0: as a program has them */
	/* trace: */
	pid_t without;		       /* the process whose events are left out, 0: none */
	const char *comm;	       /* only if the task's name contains this; NULL: any */
	bool binary;		       /* STRCMP("{0x6c, 0x00}", p) compares bytes */
	bool kernel_stack, user_stack; /* are the last arguments of each record */
	const char *program;	       /* set: the text in the language; NULL: a probe was wrong */
};

/*
 * The records of a trace: printf() with this format. The first arguments are pid, tid, cpu and comm; the function's
 * name follows, and between two BCC_MARKs the message with its own arguments; then the stacks.
 */
#define BCC_COLUMNS   "%d%d%d%s"
#define BCC_N_COLUMNS 4
#define BCC_MARK      '\x01'

/* As lang_compile(). */
struct lang_program *bcc_compile(struct bcc_request *request, const struct lang_options *options);

#endif
