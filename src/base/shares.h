/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How much of what there is may go to one user, so that others have something left. Root has no share but the whole, since
 * root can do everything; all others together leave something to root. Knows not what is shared: its owner numbers the
 * kinds.
 */
#ifndef SONDE_BASE_SHARES_H
#define SONDE_BASE_SHARES_H

#include <sys/types.h>

#include "base.h"

/* The most kinds of things to share, and of things to be refused. */
#define SHARES_KINDS 6

/* For each user, and for all but root together. */
struct shares_limit {
	uint64_t one, all;
	bool time; /* ns of our time: the limits grow as time goes on */
};

struct shares {
	const struct shares_limit *limits; /* by kind; the owner's */
	bool off;			   /* nobody has a limit */
	uint64_t began;			   /* ns of CLOCK_MONOTONIC */
	struct shares_user {
		uid_t uid;
		uint64_t used[SHARES_KINDS];
		struct shares_refused {
			uint64_t n;
			char *first; /* its name; NULL: it has none */
		} refused[SHARES_KINDS];
	} * v;
	size_t n, cap;
	uint64_t used[SHARES_KINDS]; /* by all but root */
};

/* limits: for each kind that is used. */
void shares_init(struct shares *shares, const struct shares_limit *limits, bool off);
void shares_release(struct shares *shares);
/* How much a user may still take; UINT64_MAX: there is no limit. */
uint64_t shares_left(struct shares *shares, uid_t uid, unsigned int what);
/* How much a user has taken. */
uint64_t shares_used(struct shares *shares, uid_t uid, unsigned int what);
void shares_take(struct shares *shares, uid_t uid, unsigned int what, uint64_t n);
void shares_return(struct shares *shares, uid_t uid, unsigned int what, uint64_t n);
/* Counts what found no room, for a report. what: its name, or NULL. Returns whether it is the user's first of the kind. */
bool shares_refuse(struct shares *shares, uid_t uid, unsigned int kind, const char *what);

#endif
