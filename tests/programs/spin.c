// SPDX-License-Identifier: BSD-2-Clause
/*
 * spin [SECONDS]
 *
 * Calls getppid until SECONDS are over (without: until SIGTERM or SIGINT), then prints "did getppid N".
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
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

	signal(SIGALRM, stop);
	signal(SIGTERM, stop);
	signal(SIGINT, stop);
	if (argc > 1)
		alarm(atoi(argv[1]));
	for (; !done; n++)
		syscall(SYS_getppid);
	printf("did getppid %ld\n", n);
	return 0;
}
