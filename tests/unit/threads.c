/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>

#include "base/threads.h"

#define JOBS 1000

struct counts {
	int calls[JOBS];
	int now, most;
};

static void count(void *ctx, size_t i)
{
	struct counts *counts = ctx;
	int now = __atomic_add_fetch(&counts->now, 1, __ATOMIC_SEQ_CST), most = counts->most;

	while (now > most && !__atomic_compare_exchange_n(&counts->most, &most, now, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		;
	counts->calls[i]++;
	__atomic_sub_fetch(&counts->now, 1, __ATOMIC_SEQ_CST);
}

static void check_each(size_t n, size_t most)
{
	static struct counts counts;

	memset(&counts, 0, sizeof(counts));
	threads_each(n, most, count, &counts);
	for (size_t i = 0; i < JOBS; i++)
		cr_assert_eq(counts.calls[i], i < n, "job %zu of %zu", i, n);
	cr_assert(counts.most <= (int)(most ? most : 1), "%d at a time", counts.most);
}

Test(threads, each_job_is_done_once)
{
	check_each(0, 4);
	check_each(1, 4);
	check_each(3, 8);
	check_each(JOBS, 1);
	check_each(JOBS, 0);
	check_each(JOBS, 4);
	check_each(JOBS, JOBS);
}

static void meet(void *ctx, size_t i)
{
	pthread_barrier_wait(ctx);
}

/* Both jobs wait for each other. */
Test(threads, jobs_overlap, .timeout = 60)
{
	pthread_barrier_t both;

	pthread_barrier_init(&both, NULL, 2);
	threads_each(2, 2, meet, &both);
	pthread_barrier_destroy(&both);
}
