// SPDX-License-Identifier: BSD-2-Clause
/* Finds functions and tracepoints in the kernel's BTF. */
#include "base/search.h"
#include "kernel/kernel.h"
#include "mechanism.h"

#define TRACEPOINT "btf_trace_"

struct names {
	struct candidate **candidates; /* sorted by name */
	size_t n;
};

static int by_name(const void *pa, const void *pb)
{
	const struct candidate *a = *(struct candidate *const *)pa, *b = *(struct candidate *const *)pb;

	return strcmp(a->target->name, b->target->name);
}

/* A function may be probed twice, at entry and at return. */
static int offer(const char *name, uint32_t id, void *ctx)
{
	struct names *names = ctx;
	size_t at = search_first(i, names->n, strcmp(names->candidates[i]->target->name, name) >= 0);

	for (; at < names->n && !strcmp(names->candidates[at]->target->name, name); at++)
		names->candidates[at]->btf_id = id;
	return 0;
}

static int offer_typedef(const char *name, uint32_t id, void *ctx)
{
	const size_t n = strlen(TRACEPOINT);

	return strncmp(name, TRACEPOINT, n) ? 0 : offer(name + n, id, ctx);
}

int btf_ids_of_functions(struct candidate **candidates, size_t n, struct err *err)
{
	struct names names = { .candidates = candidates, .n = n };

	qsort(candidates, n, sizeof(*candidates), by_name);
	return kernel_each_btf_func(offer, &names, err);
}

void btf_ids_of_tracepoints(struct attach *attach)
{
	__free struct candidate **candidates = base_alloc((attach->set->n + 1) * sizeof(*candidates));
	struct names names = { .candidates = candidates };
	struct err err;

	for (size_t i = 0; i < attach->set->n; i++)
		if (attach->set->v[i].kind == TARGET_TRACEPOINT)
			candidates[names.n++] = &attach->candidates[i];
	qsort(candidates, names.n, sizeof(*candidates), by_name);
	kernel_each_btf_typedef(offer_typedef, &names, &err);
}
