// SPDX-License-Identifier: BSD-2-Clause
/*
 * spin [-x] [SECONDS]
 *
 * Calls getppid until SECONDS are over (without: until SIGTERM or SIGINT), then prints "did getppid N". -x: a
 * close that fails, and "did close N".
 */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile sig_atomic_t done;

static void stop(int unused)
{
	done = 1;
}

int main(int argc, char **argv)
{
	long n = 0;
	bool fails = argc > 1 && !strcmp(argv[1], "-x");

	argc -= fails;
	argv += fails;
	signal(SIGALRM, stop);
	signal(SIGTERM, stop);
	signal(SIGINT, stop);
	if (argc > 1)
		alarm(atoi(argv[1]));
	for (; !done; n++)
		fails ? syscall(SYS_close, -1) : syscall(SYS_getppid);
	printf("did %s %ld\n", fails ? "close" : "getppid", n);
	return 0;
}
