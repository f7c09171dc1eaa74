// SPDX-License-Identifier: BSD-2-Clause
/*
 * stages pipe ITEMS WORK...	a pipeline: each of ITEMS goes through a process for each WORK
 * stages lock WORK...		a thread for each WORK, which works while it has the lock that all of them want
 * stages tree WORK...		a process that forks one that forks ... , a WORK each before the next; it is waited for
 * stages exec WORK ARG...	a thread works, then executes stages ARG..., while the first thread waits for it
 *
 * WORK: sUS sleeps, cUS uses the processor. Each stage is called stage0, stage1 ..., and the program prints
 *	did stage NAME NS	how long it worked: asleep, or on a processor
 * A pipeline also prints what made it last, by the times at which each item left each stage: from the last item back,
 * to whichever came later, the item before in the same stage or the same item from the stage before.
 *	did path NAME NS	how much of that was the stage's
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "did.h"
#include "workload.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char **works;
/* Of a pipeline: when item i left stage n, at n * items + i. The processes share it. */
static long long *left;

static void name_stage(int n)
{
	char name[16];

	snprintf(name, sizeof(name), "stage%d", n);
	prctl(PR_SET_NAME, name);
}

static void work(const char *how)
{
	long us = strtol(how + 1, NULL, 10);
	long long until;

	if (*how == 's') {
		usleep(us);
		return;
	}
	until = did_ns(CLOCK_THREAD_CPUTIME_ID) + us * 1000LL;
	while (did_ns(CLOCK_THREAD_CPUTIME_ID) < until)
		;
}

/* Works, and returns how long. */
static long long timed(const char *how)
{
	clockid_t clock = *how == 's' ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID;
	long long began = did_ns(clock);

	work(how);
	return did_ns(clock) - began;
}

static void say(const char *what, int n, long long ns)
{
	char name[16];
	struct tell *tell = tell_begin(what);

	snprintf(name, sizeof(name), "stage%d", n);
	tell_word(tell, name);
	tell_number(tell, ns);
	tell_end(tell);
}

/* in, out: -1 for the first and the last one. */
static void stage(int n, int items, int in, int out)
{
	long long ns = 0;
	char byte = 0;

	name_stage(n);
	for (int i = 0; i < items; i++) {
		if (in >= 0 && read(in, &byte, 1) != 1)
			errx(1, "no item");
		ns += timed(works[n]);
		left[n * items + i] = did_ns(CLOCK_MONOTONIC);
		if (out >= 0 && write(out, &byte, 1) != 1)
			err(1, "write");
	}
	say("stage", n, ns);
}

static void say_path(int items, int stages, long long began)
{
	long long *sums = calloc(stages, sizeof(*sums));
	int n = stages - 1, i = items - 1;

	while (n >= 0 && i >= 0) {
		long long own = i ? left[n * items + i - 1] : began;
		long long given = n ? left[(n - 1) * items + i] : began;

		sums[n] += left[n * items + i] - (own > given ? own : given);
		if (given > own)
			n--;
		else
			i--;
	}
	for (n = 0; n < stages; n++)
		say("path", n, sums[n]);
}

static void pipeline(int items, int stages)
{
	long long began = did_ns(CLOCK_MONOTONIC);
	int in = -1;

	left = mmap(NULL, stages * items * sizeof(*left), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (left == MAP_FAILED)
		err(1, "mmap");

	for (int i = 0; i < stages; i++) {
		int ends[2] = { -1, -1 };

		if (i < stages - 1 && pipe(ends))
			err(1, "pipe");
		if (!fork()) {
			stage(i, items, in, ends[1]);
			exit(0);
		}
		if (in >= 0)
			close(in);
		if (ends[1] >= 0)
			close(ends[1]);
		in = ends[0];
	}
	while (wait(NULL) > 0)
		;
	say_path(items, stages, began);
}

static void *holder(void *number)
{
	int n = (int)(long)number;
	long long ns;

	name_stage(n);
	pthread_mutex_lock(&lock);
	ns = timed(works[n]);
	pthread_mutex_unlock(&lock);
	say("stage", n, ns);
	return NULL;
}

static void locks(int stages)
{
	pthread_t *threads = calloc(stages, sizeof(*threads));

	/* all are there before the first one has the lock */
	pthread_mutex_lock(&lock);
	for (long i = 0; i < stages; i++)
		if (pthread_create(&threads[i], NULL, holder, (void *)i))
			errx(1, "pthread_create");
	usleep(10000);
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < stages; i++)
		pthread_join(threads[i], NULL);
}

static void tree(int n, int stages)
{
	if (n == stages)
		return;
	if (!fork()) {
		name_stage(n);
		say("stage", n, timed(works[n]));
		tree(n + 1, stages);
		exit(0);
	}
	/* what it does while it waits anyhow is not on the path */
	usleep(1000);
	wait(NULL);
}

static void *executor(void *argv)
{
	say("stage", 0, timed(works[0]));
	execv("/proc/self/exe", argv);
	err(1, "execv");
}

static void execute(char **argv)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, executor, argv))
		errx(1, "pthread_create");
	pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	if (argc > 3 && !strcmp(argv[1], "pipe")) {
		works = argv + 3;
		pipeline(atoi(argv[2]), argc - 3);
	} else if (argc > 2 && !strcmp(argv[1], "lock")) {
		works = argv + 2;
		locks(argc - 2);
	} else if (argc > 2 && !strcmp(argv[1], "tree")) {
		works = argv + 2;
		tree(0, argc - 2);
	} else if (argc > 4 && !strcmp(argv[1], "exec")) {
		works = argv + 2;
		execute(argv + 2);
	} else {
		errx(2, "usage: stages pipe ITEMS WORK... | lock WORK... | tree WORK... | exec WORK ARG...");
	}
	return 0;
}
