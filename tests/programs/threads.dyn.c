// SPDX-License-Identifier: BSD-2-Clause
/*
 * threads N [FILE]: creates N threads one after the other, of which each calls worker() and ends. Prints "did PID", and
 * waits until FILE can be opened and read.
 */
#include <pthread.h>

#include "workload.h"

void *worker(void *arg)
{
	return arg;
}

int main(int argc, char **argv)
{
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
