/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For files in unwind only: how much of what a session has may go to one user: to the files that belong to that user,
 * and to the user's processes. Root has no share but the whole, since root can do everything; all others together leave
 * something to root. Knows neither files nor processes.
 */
#ifndef SONDE_UNWIND_SHARES_H
#define SONDE_UNWIND_SHARES_H

#include <sys/types.h>

#include "base/base.h"

enum shares_what {
	SHARES_TABLES,	  /* bytes of tables */
	SHARES_RULES,	  /* rules that were new */
	SHARES_TIME,	  /* ns that tables took */
	SHARES_RUNS,	  /* bytes of mappings of processes */
	SHARES_PROCESSES, /* processes */
	SHARES_N,
};

/* What found no room. */
enum shares_refused_kind {
	SHARES_NO_TABLE,    /* a file */
	SHARES_FEWER_RULES, /* a file */
	SHARES_NO_RUN,	    /* a process */
	SHARES_REFUSED_N,
};

/* The most that the table of one file may take of SHARES_TABLES, if it is not root's. libxul needs 14 MB. */
#define SHARES_FILE (16ULL << 20)

struct shares {
	bool off;	/* nobody has a limit: the session is for one process */
	uint64_t began; /* ns of CLOCK_MONOTONIC */
	struct shares_user {
		uid_t uid;
		uint64_t used[SHARES_N];
		struct shares_refused {
			uint64_t n;
			char *first; /* a file */
		} refused[SHARES_REFUSED_N];
	} * v;
	size_t n, cap;
	uint64_t used[SHARES_N]; /* by all but root */
};

void shares_init(struct shares *shares, bool off);
void shares_release(struct shares *shares);
/* How much a user may still take; UINT64_MAX: there is no limit. */
uint64_t shares_left(struct shares *shares, uid_t uid, enum shares_what what);
void shares_take(struct shares *shares, uid_t uid, enum shares_what what, uint64_t n);
void shares_return(struct shares *shares, uid_t uid, enum shares_what what, uint64_t n);
/* Counts a file (path), or a process (NULL), for the report. */
void shares_refuse(struct shares *shares, uid_t uid, enum shares_refused_kind kind, const char *path);
/* Reports on stderr who found no room. */
void shares_report(const struct shares *shares);

#endif
