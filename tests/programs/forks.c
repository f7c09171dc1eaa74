// SPDX-License-Identifier: BSD-2-Clause
/*
 * forks [-d] CHILDREN THREADS CALLS
 *
 * Each child makes CALLS getppid calls in each of THREADS threads (0: in its only one). -d: each
 * child is the child of the one before it, not of the first process. Prints "did getppid SUM" when
 * all are done.
 */
#include <err.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static long threads, calls;

static void *make(void *unused)
{
	for (long i = 0; i < calls; i++)
		syscall(SYS_getppid);
	return unused;
}

static void work(void)
{
	pthread_t thread[64];

	if (!threads)
		make(NULL);
	for (long i = 0; i < threads; i++)
		if (pthread_create(&thread[i], NULL, make, NULL))
			errx(1, "no thread");
	for (long i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
}

static void spawn(long left, bool deep)
{
	pid_t pid;

	if (!left)
		return;
	pid = fork();
	if (pid < 0)
		err(1, "fork");
	if (!pid) {
		work();
		if (deep)
			spawn(left - 1, deep);
		_exit(0);
	}
	if (!deep)
		spawn(left - 1, deep);
	if (waitpid(pid, NULL, 0) < 0)
		err(1, "waitpid");
}

int main(int argc, char **argv)
{
	bool deep = argc > 1 && !strcmp(argv[1], "-d");
	long children;

	argv += 1 + deep;
	if (argc - deep != 4)
		errx(2, "usage: forks [-d] CHILDREN THREADS CALLS");
	children = atol(argv[0]);
	threads = atol(argv[1]);
	calls = atol(argv[2]);
	if (threads > 64)
		errx(2, "64 threads at most");
	spawn(children, deep);
	printf("did getppid %ld\n", children * (threads ? threads : 1) * calls);
	return 0;
}
