/* SPDX-License-Identifier: BSD-2-Clause */
/* Within probe/: one resolver for each kind of target. Each adds to the set what its queries match, duplicates included. */
#ifndef SONDE_RESOLVE_H
#define SONDE_RESOLVE_H

#include "base/nearest.h"
#include "match.h"
#include "target.h"

/* A spec with its patterns compiled. */
struct query {
	struct spec spec;
	bool no_module; /* X:NAME, and X is no kernel module */
	struct match *object, *name, *provider;
	size_t found;
};

/* All kernel queries at once, for the lists are long. Others are skipped. *bad: the query that err is about. */
int resolve_kernel(struct query *queries, size_t n, struct target_set *set, size_t *bad,
		   struct err *err);
int resolve_tracepoints(struct query *queries, size_t n, struct target_set *set, size_t *bad,
			struct err *err);
int resolve_user(struct query *query, const struct target_options *options, struct target_set *set, struct err *err);

/* Why a kernel function is never traced, or NULL. */
const char *resolve_excluded(const char *function);

/* The set is whole: removes duplicates, makes labels unique, numbers the slots. */
void target_set_finish(struct target_set *set);

static inline bool query_is_kernel(const struct query *query)
{
	return query->spec.kind == SPEC_KFUNC;
}

/* Replaces err, of a query that matched nothing, where something of another kind has that name: "'malloc' is ... c:malloc". */
void resolve_suggest(const struct query *query, pid_t pid, struct err *err);

/*
 * "no kernel function matches 'vfs_raed' (did you mean vfs_read?)"; code -ENOENT. near may be NULL, and is OWNER:NAME where what
 * is wrong is the module, the system or the provider.
 */
int resolve_no_match(struct err *err, const char *what, const struct spec *spec, const char *near);

#endif
