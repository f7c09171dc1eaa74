// SPDX-License-Identifier: BSD-2-Clause
/*
 * `postgres N`: waits N times for 300 ms in a function of PostgreSQL's name, under the title of one of its processes. The
 * word that it waits for is nobody's.
 */
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static unsigned int word;

__attribute__((noinline)) void XactLockTableWait(int n)
{
	struct timespec time = { .tv_nsec = 300000000 };

	for (int i = 0; i < n; i++)
		syscall(SYS_futex, &word, FUTEX_WAIT, 0, &time, NULL, 0);
}

/* Over the arguments and the environment, which follow each other in memory. */
static void set_title(char **argv, const char *title)
{
	char *end = argv[0];

	for (char **at = argv; *at; at++)
		end = *at + strlen(*at) + 1;
	for (char **at = environ; *at; at++)
		end = *at + strlen(*at) + 1;
	memset(argv[0], 0, end - argv[0]);
	strncpy(argv[0], title, end - argv[0] - 1);
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1;

	set_title(argv, "postgres: main: shop idle in transaction");
	XactLockTableWait(n);
	return 0;
}
