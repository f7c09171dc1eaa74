// SPDX-License-Identifier: BSD-2-Clause
/*
 * Loads the programs of a plan at the same time, on the processors that there are: the verifier needs up to 70 ms for one
 * of them, and has no lock. When the plan is carried out, it finds them loaded. What the kernel refuses here it refuses
 * there again, where that is an error, or falls back.
 */
#include <sched.h>

#include "base/threads.h"
#include "mechanism.h"
#include "quirks.h"

#define THREADS_MOST 8

void ahead_add(struct ahead_list *list, struct attach *attach, const struct mechanism *mechanism,
	       struct candidate **candidates, size_t n)
{
	__free struct copy *copies = base_alloc(n * sizeof(*copies));
	const size_t found = mechanism->ahead ? mechanism->ahead(attach, candidates, n, copies) : 0;

	for (size_t i = 0; i < found; i++)
		*vec_push(list) = (struct ahead){ .image = attach->image, .copy = copies[i] };
}

struct loads {
	const struct attach *attach;
	struct ahead_list *list;
};

static void load_one(void *ctx, size_t i)
{
	const struct loads *loads = ctx;
	struct ahead *one = &loads->list->v[i];

	one->fd = copy_load_ahead(loads->attach, one->image, &one->copy);
}

static size_t threads(void)
{
	cpu_set_t may;
	int n = sched_getaffinity(0, sizeof(may), &may) ? 1 : CPU_COUNT(&may);

	return n < THREADS_MOST ? n : THREADS_MOST;
}

/* The longest first, so that no thread begins it when the others are done. */
static int by_length(const void *pa, const void *pb)
{
	const struct ahead *a = pa, *b = pb;

	return (a->image->code.n < b->image->code.n) - (a->image->code.n > b->image->code.n);
}

void ahead_load(struct ahead_list *list, struct attach *attach)
{
	struct loads loads = { attach, list };

	if (list->n < 2 || threads() < 2)
		return;
	/* what is asked of the kernel once, is asked before there are threads */
	quirk_swaps();
	quirk_task_regs();
	qsort(list->v, list->n, sizeof(*list->v), by_length);
	threads_each(list->n, threads(), load_one, &loads);
	vec_each(one, list)
		if (one->fd >= 0)
			*vec_push(&attach->copies) =
				(struct loaded){ .of = one->image, .copy = one->copy, .fd = one->fd, .ahead = true };
}

void ahead_end(struct ahead_list *list, struct attach *attach)
{
	size_t kept = 0;

	vec_each(it, &attach->copies)
		if (it->ahead && !it->again)
			close(it->fd);
		else
			attach->copies.v[kept++] = *it;
	attach->copies.n = kept;
	free(list->v);
	*list = (struct ahead_list){};
}
