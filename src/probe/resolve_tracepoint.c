// SPDX-License-Identifier: BSD-2-Clause
/* Resolves specs of tracepoints. */
#include <fnmatch.h>

#include "kernel/kernel.h"
#include "kernel/syscalls.h"
#include "resolve.h"

struct search {
	struct query *queries;
	size_t n;
	struct target_set *set;
};

/*
 * BTF does not record the system of a tracepoint. A name without wildcards needs none. Else the system is guessed:
 * most names begin with it ("sched:sched_switch").
 */
static bool system_matches(const struct query *query, const struct ktracepoint *tp)
{
	char system[64];

	if (!query->spec.object || (!tp->system && match_literal(query->name)))
		return true;
	if (tp->system)
		return match_test(query->object, tp->system);
	snprintf(system, sizeof(system), "%.*s", (int)strcspn(tp->name, "_"), tp->name);
	return match_test(query->object, system);
}

/* The number of the syscall plus 1, from a name such as sys_enter_openat; 0: none or unknown. */
static uint32_t syscall_of(const struct ktracepoint *tp)
{
	const char *name = NULL;
	int number;

	if (!tp->system || strcmp(tp->system, "syscalls"))
		return 0;
	if (!strncmp(tp->name, "sys_enter_", strlen("sys_enter_")))
		name = tp->name + strlen("sys_enter_");
	else if (!strncmp(tp->name, "sys_exit_", strlen("sys_exit_")))
		name = tp->name + strlen("sys_exit_");
	number = name ? syscall_number(name) : -1;
	return number < 0 ? 0 : number + 1;
}

static void add(struct target_set *set, const struct query *query, const struct ktracepoint *tp)
{
	struct target *target = vec_push(set);

	target->kind = TARGET_TRACEPOINT;
	target->mech = query->spec.mech;
	target->name = pool_add(&set->pool, tp->name);
	target->object = tp->system ? pool_add(&set->pool, tp->system) : NULL;
	target->syscall = syscall_of(tp);
	target->label = tp->system ? pool_addf(&set->pool, "%s:%s", tp->system, tp->name) : target->name;
}

static int offer(const struct ktracepoint *tp, void *ctx)
{
	struct search *search = ctx;

	for (size_t i = 0; i < search->n; i++) {
		struct query *query = &search->queries[i];

		if (query->spec.kind != SPEC_TRACEPOINT || !match_test(query->name, tp->name) ||
		    !system_matches(query, tp))
			continue;
		query->found++;
		add(search->set, query, tp);
	}
	return 0;
}

static int offer_nearest(const struct ktracepoint *tp, void *ctx)
{
	nearest_offer(ctx, tp->name);
	return 0;
}

struct place {
	const char *name;
	char *found; /* SYSTEM:NAME */
};

static int find_place(const struct ktracepoint *tp, void *ctx)
{
	struct place *place = ctx;

	if (!tp->system || strcmp(tp->name, place->name))
		return 0;
	place->found = base_printf("t:%s:%s", tp->system, tp->name);
	return 1;
}

static int no_tracefs(struct err *err)
{
	const char *locked = kernel_locked_down();

	return err_set(err, -ENOENT, "tracepoints of syscalls need tracefs, which sonde cannot read here%s%s",
		       locked ? ": " : "", locked ? locked : "");
}

static int not_found(const struct query *query, struct err *err)
{
	struct place place = { .name = query->spec.name };
	__free char *found = NULL;
	struct nearest nearest;

	if (query->spec.object && !strcmp(query->spec.object, "syscalls") && !kernel_lists_tracepoints())
		return no_tracefs(err);
	if (!match_literal(query->name))
		return resolve_no_match(err, "tracepoint", &query->spec, NULL);
	nearest_init(&nearest, query->spec.name);
	kernel_each_tracepoint(offer_nearest, &nearest, NULL);
	/* the name exists in another system */
	if (nearest_name(&nearest) && !strcmp(nearest_name(&nearest), query->spec.name))
		kernel_each_tracepoint(find_place, &place, NULL);
	found = place.found;
	return resolve_no_match(err, "tracepoint", &query->spec, found ?: nearest_name(&nearest));
}

int resolve_tracepoints(struct query *queries, size_t n, struct target_set *set, size_t *bad,
			struct err *err)
{
	struct search search = { .queries = queries, .n = n, .set = set };
	size_t asked = 0;
	int ret;

	for (size_t i = 0; i < n; i++)
		if (queries[i].spec.kind == SPEC_TRACEPOINT) {
			*bad = i;
			asked++;
		}
	if (!asked)
		return 0;
	ret = kernel_each_tracepoint(offer, &search, err);
	if (ret)
		return ret;
	for (size_t i = 0; i < n; i++) {
		if (queries[i].spec.kind != SPEC_TRACEPOINT || queries[i].found)
			continue;
		*bad = i;
		return not_found(&queries[i], err);
	}
	return 0;
}
