// SPDX-License-Identifier: BSD-2-Clause
/*
 * bench-waits [ROUNDS [WAITS]]
 *
 * Two processes wake each other in turns by a byte in a pipe, on one processor. Prints the ns of one wait, with the
 * switch and the wake-up that belong to it and the two system calls, in the best of ROUNDS (20) of WAITS (1000) waits.
 */
#include <err.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int there[2], back[2];

static long long now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

static void take(int fd)
{
	char byte;

	if (read(fd, &byte, 1) != 1)
		exit(0);
}

static void give(int fd)
{
	if (write(fd, "", 1) != 1)
		err(1, "write");
}

static void answer(void)
{
	close(there[1]);
	for (;;) {
		take(there[0]);
		give(back[1]);
	}
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 20, waits = argc > 2 ? atoi(argv[2]) : 1000;
	long long least = 0;
	cpu_set_t first;

	CPU_ZERO(&first);
	CPU_SET(0, &first);
	if (sched_setaffinity(0, sizeof(first), &first) || pipe(there) || pipe(back))
		err(1, "bench-waits");
	if (!fork())
		answer();
	for (int round = 0; round < rounds; round++) {
		long long began = now(), ns;

		for (int i = 0; i < waits; i += 2) {
			give(there[1]);
			take(back[0]);
		}
		ns = now() - began;
		if (!round || ns < least)
			least = ns;
	}
	printf("%.1f ns a wait\n", (double)least / waits);
	close(there[1]);
	wait(NULL);
	return 0;
}
