/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Within probe/: which kernel functions ftrace can trace, found in its list. That has one name an address, maybe not
 * the one that was matched (__x64_sys_getppid is there as __do_sys_getppid), so in the end it is addresses
 * that count. There are two ways to them:
 *
 *	candidates: what a pattern matches is kept with all other names of its addresses, and looked for in the
 *	list of names; only what that leaves open, a name of several functions some of which are listed, takes the list
 *	with addresses as well, which takes the kernel nearly twice as long to write;
 *	the whole list, where the matches are many: with addresses, or before 6.5 all names.
 */
#ifndef SONDE_TRACEABLE_H
#define SONDE_TRACEABLE_H

#include "base/pool.h"
#include "base/str.h"
#include "symbols/kernel.h"

/* A symbol at an address that a pattern's match may be at. */
struct candidate {
	size_t name; /* where in the text: the name, and behind it the module's */
	uint64_t addr;
	uint32_t listed; /* how often the list has this name: kept in the first candidate of the name */
};

struct traceable {
	struct addresses {
		uint64_t *v;
		size_t n, cap;
	} addrs;       /* sorted when all are known */
	bool known;    /* there is a list: what it does not have cannot be traced */
	bool has_addr; /* and it was read whole, with addresses */
	void *names;   /* or without: a tsearch(3) tree of "name\tmodule" */
	struct pool pool;
	struct candidates {
		struct candidate *v;
		size_t n, cap;
		struct str text;
		/* those from here on are at one address, or of one module: kept if one of them is wanted */
		size_t run, run_text, wanted_n;
		bool wanted;
	} candidates;
};

/* Of one that is {}. */
void traceable_release(struct traceable *traceable);

/* Each symbol in the kernel's order, and whether a pattern matches it. -EAGAIN: the whole list is the better way. */
int traceable_offer(struct traceable *traceable, const struct ksym *sym, bool wanted);
/* Behind the last symbol: looks for the candidates in the list. -EAGAIN: it cannot be read. */
int traceable_judge(struct traceable *traceable);
/* Whether that was for the number of matches. */
bool traceable_many(const struct traceable *traceable);
/* Else: whether the list has this very name. */
bool traceable_named(const struct traceable *traceable, const char *name, const char *module);

/* Or the whole list, before the symbols; where it cannot be read known is false, and whatever is tried tells. */
void traceable_read(struct traceable *traceable);
/* Then, of each symbol, where only names are listed: whether this one is. Its address is known from now on. */
bool traceable_take(struct traceable *traceable, const struct ksym *sym);
void traceable_sort(struct traceable *traceable);

/* Is an address that ftrace knows at the symbol's entry? */
bool traceable_at(const struct traceable *traceable, uint64_t addr);

#endif
