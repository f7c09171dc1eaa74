// SPDX-License-Identifier: BSD-2-Clause
/*
 * threads N [FILE]: creates N threads one after the other, of which each calls worker() and ends. Prints "did PID", and
 * waits until FILE can be opened and read.
 *
 * threads -a N: creates N threads, all of which are there at the same time. Prints "did PID", and waits for a signal.
 */
#include <pthread.h>
#include <string.h>

#include "workload.h"

void *worker(void *arg)
{
	return arg;
}

static void *waiter(void *arg)
{
	pause();
	return arg;
}

static void create_all(int n)
{
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 64 << 10);
	while (n--)
		if (pthread_create(&thread, &attributes, waiter, NULL))
			errx(1, "no thread");
	printf("did %d\n", getpid());
	fflush(stdout);
	pause();
}

int main(int argc, char **argv)
{
	if (argc > 2 && !strcmp(argv[1], "-a"))
		create_all(atoi(argv[2]));
	for (int i = argc > 1 ? atoi(argv[1]) : 1; i > 0; i--) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, worker, NULL) || pthread_join(thread, NULL))
			errx(1, "no thread");
	}
	printf("did %d\n", getpid());
	fflush(stdout);
	if (argc > 2)
		workload_wait(argv[2]);
	return 0;
}
