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

/* Each load has memory of the verifier's, some MB. */
#define THREADS_MOST 4

void ahead_add(struct ahead_list *list, struct attach *attach, const struct mechanism *mechanism,
	       struct candidate **candidates, size_t n)
{
	__free struct copy *copies = base_alloc(n * sizeof(*copies));
	const size_t found = n && mechanism->ahead ? mechanism->ahead(attach, candidates, n, copies) : 0;

	for (size_t i = 0; i < found; i++)
		*vec_push(list) = (struct ahead){ .image = attach->image, .copy = copies[i] };
}

struct loads {
	struct attach *attach;
	struct ahead_list *list;
	pthread_t main;
	bool stop;
};

/* Only the main thread asks whether it is time to stop; the plan asks again. */
static void load_one(void *ctx, size_t i)
{
	struct loads *loads = ctx;
	struct ahead *one = &loads->list->v[i];

	if (pthread_equal(pthread_self(), loads->main) && attach_interrupted(loads->attach))
		__atomic_store_n(&loads->stop, true, __ATOMIC_RELAXED);
	one->fd = __atomic_load_n(&loads->stop, __ATOMIC_RELAXED)
			  ? -EINTR
			  : copy_load_ahead(loads->attach, one->image, &one->copy);
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
	struct loads loads = { .attach = attach, .list = list, .main = pthread_self() };

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
		if (it->ahead && !it->again) {
			close(it->fd);
		} else {
			attach->copies.v[kept] = *it;
			attach->copies.v[kept++].ahead = false;
		}
	attach->copies.n = kept;
	free(list->v);
	*list = (struct ahead_list){};
}
