// SPDX-License-Identifier: BSD-2-Clause
/*
 * shares [-w FIFO] [-f CHILDREN] [-t THREADS] MS
 *
 * Spends MS ms of processor time, in turns: three parts in alpha(), one in beta(), one in the kernel, called by zero().
 * Prints "did shares MS", the time that it has measured. -f: CHILDREN processes do that in place of this one, one after
 * the other; -t: this one, and then THREADS threads.
 */
#include <pthread.h>
#include <sys/wait.h>
#include <time.h>

#include "workload.h"

#define KEPT __attribute__((noinline, noclone, noipa))
#define PART 2000000LL /* ns */

static long long wanted;
static int input;
static char page[65536];

static long long spent(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/* The clock is read often enough to be on time, and rarely enough to cost little. */
static inline long loop(long n)
{
	for (int i = 0; i < 50000; i++)
		n = n * 31 + i;
	return n;
}

KEPT long alpha(long n)
{
	for (long long end = spent() + 3 * PART; spent() < end;)
		n = loop(n);
	return n;
}

KEPT long beta(long n)
{
	for (long long end = spent() + PART; spent() < end;)
		n = loop(n);
	return n;
}

KEPT long zero(long n)
{
	for (long long end = spent() + PART; spent() < end;)
		for (int i = 0; i < 10; i++)
			n += read(input, page, sizeof(page));
	return n;
}

KEPT void *work(void *unused)
{
	long long began = spent(), now;
	struct tell *tell;
	volatile long n = 0;

	while ((now = spent()) < began + wanted)
		n = zero(beta(alpha(n)));
	tell = tell_begin("shares");
	tell_number(tell, (now - began) / 1000000);
	tell_end(tell);
	return NULL;
}

KEPT void fork_one(void)
{
	pid_t pid = fork();

	if (pid < 0)
		err(1, "fork");
	if (!pid) {
		work(NULL);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

int main(int argc, char **argv)
{
	int children = 0, threads = 0, c;

	input = open("/dev/zero", O_RDONLY);
	while ((c = getopt(argc, argv, "w:f:t:")) != -1) {
		if (c == 'w')
			workload_wait(optarg);
		else if (c == 'f')
			children = atoi(optarg);
		else if (c == 't')
			threads = atoi(optarg);
	}
	wanted = atoll(argv[optind]) * 1000000;
	for (int i = 0; i < children; i++)
		fork_one();
	if (!children)
		work(NULL);
	for (int i = 0; i < threads; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, work, NULL))
			errx(1, "pthread_create");
		pthread_join(thread, NULL);
	}
	return 0;
}
