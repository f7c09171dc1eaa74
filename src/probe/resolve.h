/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For probe/ alone: one resolver for each kind of target. Each adds the targets that its queries match to the set,
 * duplicates included. All return 0 or -errno with err set: -ENOENT if a query matches nothing.
 */
#ifndef SONDE_PROBE_RESOLVE_H
#define SONDE_PROBE_RESOLVE_H

#include "base/nearest.h"
#include "match.h"
#include "target.h"

/* A spec with its patterns compiled. */
struct query {
	struct spec spec;
	bool no_module; /* the spec is X:NAME, and X is no kernel module */
	struct match *object, *name, *provider;
	size_t found; /* how many targets matched */
};

/*
 * These take all queries at once and skip those of other kinds, because the lists of the kernel are long. *bad:
 * index of the query that err is about.
 */
int resolve_kernel(struct query *queries, size_t n, struct kernel *kernel, struct target_set *set, size_t *bad,
		   struct err *err);
int resolve_tracepoints(struct query *queries, size_t n, struct target_set *set, size_t *bad,
			struct err *err);
int resolve_user(struct query *query, const struct target_options *options, struct target_set *set, struct err *err);

/* Why a kernel function is never traced (a constant string); NULL: it may be. */
const char *resolve_excluded(const char *function);

/* Completes a set to which all targets were added: removes duplicates, makes labels unique, numbers the slots. */
void target_set_finish(struct target_set *set);

static inline bool query_is_kernel(const struct query *query)
{
	return query->spec.kind == SPEC_KFUNC;
}

/*
 * For a query that matched nothing: if something of another kind has that name, replaces err: "'malloc' is ...
 * c:malloc".
 */
void resolve_suggest(const struct query *query, struct kernel *kernel, pid_t pid, struct err *err);

/* For a query of a kernel function that matched nothing: if the function has another name here, replaces err. */
bool resolve_renamed(const struct query *query, struct kernel *kernel, struct err *err);

/*
 * Sets err to "no kernel function matches 'vfs_raed' (did you mean vfs_read?)" and returns -ENOENT. near: a name to
 * suggest, or NULL; OWNER:NAME if the module, system or provider in the spec is wrong.
 */
int resolve_no_match(struct err *err, const char *what, const struct spec *spec, const char *near);

#endif
