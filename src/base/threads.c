// SPDX-License-Identifier: BSD-2-Clause
#include <signal.h>

#include "threads.h"

#define STACK	 (128 * 1024)
#define MOST_NOW 256

int threads_start(pthread_t *thread, void *(*run)(void *ctx), void *ctx)
{
	pthread_attr_t attr;
	sigset_t all, before;
	int ret;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK);
	ret = pthread_create(thread, &attr, run, ctx);
	pthread_attr_destroy(&attr);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -ret;
}

struct work {
	void (*one)(void *ctx, size_t i);
	void *ctx;
	size_t next, n;
};

static void *do_some(void *ctx)
{
	struct work *work = ctx;
	size_t i;

	while ((i = __atomic_fetch_add(&work->next, 1, __ATOMIC_RELAXED)) < work->n)
		work->one(work->ctx, i);
	return NULL;
}

void threads_each(size_t n, size_t most, void (*one)(void *ctx, size_t i), void *ctx)
{
	struct work work = { .one = one, .ctx = ctx, .n = n };
	pthread_t threads[MOST_NOW];
	size_t begun = 0;

	while (begun + 1 < n && begun + 1 < most && begun < MOST_NOW && !threads_start(&threads[begun], do_some, &work))
		begun++;
	do_some(&work);
	while (begun)
		pthread_join(threads[--begun], NULL);
}
