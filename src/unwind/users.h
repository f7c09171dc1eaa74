/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For files in unwind only: what of a session has shares (src/base/shares.h), by the users that files and processes belong
 * to, and what is said of those that found no room.
 */
#ifndef SONDE_UNWIND_USERS_H
#define SONDE_UNWIND_USERS_H

#include "base/shares.h"

enum users_what {
	USERS_TABLES,	 /* bytes of tables */
	USERS_RULES,	 /* rules that were new */
	USERS_TIME,	 /* ns that tables took */
	USERS_RUNS,	 /* bytes of mappings of processes */
	USERS_PROCESSES, /* processes */
	USERS_FILES,	 /* files that programs find by themselves */
};

/* What found no room. */
enum users_refused {
	USERS_NO_TABLE,	   /* a file, by its path */
	USERS_FEWER_RULES, /* a file, by its path */
	USERS_NO_RUN,	   /* a process, without a name */
};

/* The most that the table of one file may take of USERS_TABLES, if it is not root's. libxul needs 14 MB. */
#define USERS_FILE (16ULL << 20)

/* off: nobody has a limit, since the session is for one process. The caller calls shares_release(). */
void users_init(struct shares *shares, bool off);
/* Reports on stderr who found no room. */
void users_report(const struct shares *shares);

#endif
